import type { Cue } from '#domain/policy/cues.ts'
import type { GrantReach } from '#domain/deciding/grant-reach.ts'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import type { Json } from '#domain/json/json.ts'
import type { WaitingStep } from '#domain/deciding/judgement.ts'
import type { RequestErasure } from '../words/erased-requests.ts'
import type { ExternalItemRecord, ExternalRecord } from './external-record.ts'
import type { NamedFileRecord } from './named-files.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import type {
  CallFacts,
  CancelReason,
  DecisionVerb,
  DenialThen,
  ExecutionState,
  PermitState,
  QuorumPlace,
  RequestKind,
  RequestState,
} from '#domain/requests/request.ts'
import type { EditsPolicy, Risk, Rule, RunMode, Scope, Verdict } from '#domain/policy/verdict.ts'

/** A person as others see them: the canonical id and the name. */
export interface PersonRef {
  readonly id: string
  readonly name: string
}

/** Somebody who may decide a request. */
export interface EligiblePerson extends PersonRef {
  readonly awayUntil: Date | null
}

/** What the quorum asks, who fills which place by now, and what is missing. */
export interface QuorumRecord {
  readonly required: readonly QuorumPlace[]
  readonly counted: readonly { readonly team: string; readonly person: PersonRef }[]
  readonly missing: readonly QuorumPlace[]
  readonly text: string
}

/**
 * The newest attempt of the call; `not_started` when there is none. Members but `state` are there
 * once known.
 */
export interface ExecutionRecord {
  readonly state: ExecutionState
  readonly reason?: string
  readonly attempt?: number
  readonly exitCode?: number
  readonly executedDigest?: string
  readonly startedAt?: Date
  readonly finishedAt?: Date
}

/**
 * What is done about a request that waits: when it is due, and when it was done; `addTeams` of an
 * escalation.
 */
export interface StepRecord {
  readonly kind: WaitingStep['kind']
  readonly addTeams: readonly string[]
  readonly dueAt: Date
  readonly takenAt: Date | null
}

export interface LineageRecord {
  readonly runId: string
  readonly worker: string
  /** `null`: nobody, a trigger */
  readonly startedBy: PersonRef | null
}

export interface ClaimRecord {
  readonly person: PersonRef
  readonly at: Date
  readonly leaseUntil: Date
}

/** What a person asked the root run to do. `by`: `null` when no person did. */
export interface TaskRecord {
  readonly text: string
  readonly by: PersonRef | null
  readonly at: Date
  /** how many messages people have sent it since */
  readonly later: number
}

/** Why this queue, this risk and this quorum: each with where it is written, if anywhere. */
export type RoutingRecord = Readonly<
  Record<
    'queue' | 'risk' | 'quorum',
    { readonly value: string; readonly text: string; readonly source: string | null }
  >
>

/** Whom a request was handed to, by whom and when. */
export interface HandoverRecord {
  readonly person: PersonRef
  readonly by: PersonRef
  readonly at: Date
}

/** A row of a list; the same for everybody but `eligibility`. */
export interface RequestItemRecord {
  readonly id: string
  readonly number: number
  readonly revision: number
  readonly state: RequestState
  readonly kind: RequestKind
  readonly queue: string
  readonly risk: Risk
  readonly tool: string
  readonly title: string
  /** what it does, in one sentence of ours */
  readonly effect: string
  /** what deserves attention in it */
  readonly cues: readonly Cue[]
  /** `null`: a program asks, or the words were erased */
  readonly task: TaskRecord | null
  /** what a program says its task is */
  readonly claimedTask: string | null
  readonly routing: RoutingRecord
  readonly digest: string
  readonly policyDigest: string
  readonly rule: Rule
  readonly claim: ClaimRecord | null
  /** whom it was handed to last: a request to look, never a right */
  readonly handedTo: HandoverRecord | null
  /** until when the caller has put it off */
  readonly snoozedUntil: Date | null
  /** the model's own words in the same turn: its claim, never markup */
  readonly agentReason: string | null
  readonly worker: string | null
  readonly mode: RunMode | null
  /** name of the workspace that the call is about */
  readonly workspace: string
  readonly runId: string | null
  readonly callId: string | null
  readonly toolCallId: string | null
  /** of a call that a person made: the last turn before it */
  readonly turn: number | null
  /** the person who invoked the tool; `null` when the model did, or a program */
  readonly invokedBy: PersonRef | null
  readonly batch: { readonly position: number; readonly size: number } | null
  /** from the root run down to the run itself */
  readonly lineage: readonly LineageRecord[]
  readonly quorum: QuorumRecord
  readonly eligibility: { readonly canDecide: boolean; readonly reason: string | null }
  readonly allowedDecisions: readonly DecisionVerb[]
  readonly allowedScopes: readonly Scope[]
  /** the program that asked; `null` for requests of runs */
  readonly external: ExternalItemRecord | null
  readonly execution: ExecutionRecord
  /** of the approval; `null` without one, or where nothing is to be carried out */
  readonly permit: PermitState | null
  readonly createdAt: Date
  readonly expiresAt: Date
  /** in the order of their times; empty for a queue that says nothing of them */
  readonly steps: readonly StepRecord[]
  readonly decidedAt: Date | null
  readonly supersededBy: string | null
  readonly cancelReason: CancelReason | null
  /** who decided it last, once it has been decided */
  readonly decidedBy: PersonRef | null
  /** it is pending again, and may have been decided and carried out in rows that a restore lost */
  readonly askedBeforeRestore: boolean
  readonly alike: AlikeCounts
}

/**
 * How much is like a request: `same` and `similar` as far as a page would list them, `again` as
 * often as it was carried out.
 */
export interface AlikeCounts {
  readonly same: number
  readonly similar: number
  readonly again: number
}

/** An earlier or other request of the same call, or of one like it. */
export interface AlikeRequestRecord extends Pick<
  RequestItemRecord,
  'number' | 'title' | 'worker' | 'state' | 'execution'
> {
  readonly requestId: string
  /** when it ended last: carried out, else decided, else asked */
  readonly at: Date
  /** name of the last to decide it */
  readonly decidedBy: string | null
  readonly reason: string | null
}

/** What is like a request, as far as its reader may see it (details.md, alike). */
export interface AlikeRecord {
  readonly same: readonly AlikeRequestRecord[]
  readonly similar: readonly AlikeRequestRecord[]
  /** alike too, and not for this reader */
  readonly hidden: number
  /** how often the very call was carried out: by this root run, or by any within a day */
  readonly again: number
}

export interface DecisionRecord {
  readonly decisionId: string
  readonly person: PersonRef
  readonly decision: DecisionVerb
  readonly at: Date
  readonly revision: number
  readonly reason: string | null
  readonly selfApproved: boolean
  readonly edited: boolean
  readonly scope: Scope | null
  readonly then: DenialThen | null
  readonly batchDecisionId: string | null
  /** name of the passkey that signed it; `null`: it is not signed */
  readonly signedWith: string | null
}

/** Everything of one request. */
export interface RequestDetailRecord extends Omit<
  RequestItemRecord,
  'batch' | 'external' | 'alike'
> {
  readonly alike: AlikeRecord
  readonly external: ExternalRecord | null
  readonly input: Json
  readonly presentation: Presentation
  /** of a command: what it names, with who wrote it when this run or one of the same root did */
  readonly namedFiles: readonly NamedFileRecord[]
  readonly batch: {
    readonly position: number
    readonly size: number
    /** whether this call has its result, whatever it is */
    readonly finished: boolean
    readonly siblings: readonly {
      readonly callId: string
      readonly tool: string
      readonly title: string
      readonly verdict: Verdict | null
      readonly requestId: string | null
      readonly state: RequestState | null
      readonly finished: boolean
    }[]
  } | null
  /** `awayUntil`: they say that they are away until then */
  readonly eligiblePeople: readonly EligiblePerson[]
  /** what each of `allowedScopes` would cover, exactly (security.md 16) */
  readonly scopeCoverage: readonly (GrantReach & { readonly covers: readonly string[] })[]
  /**
   * wider scopes that one may expect of this call, and why it has none of them: a sentence's end
   */
  readonly scopesNotOffered: readonly { readonly scope: Scope; readonly why: string }[]
  readonly decisions: readonly DecisionRecord[]
  readonly previous: readonly {
    readonly requestId: string
    readonly state: RequestState
    /** name of the last to decide it */
    readonly decidedBy: string | null
    readonly reason: string | null
  }[]
  readonly comments: readonly {
    readonly id: string
    readonly person: PersonRef
    readonly text: string
    /** the line that it is about; null: the request as a whole */
    readonly anchor: CommentAnchor | null
    readonly at: Date
  }[]
  readonly revisions: readonly {
    readonly revision: number
    readonly digest: string
    readonly title: string
    readonly editor: PersonRef | null
    readonly reason: string | null
    readonly at: Date
  }[]
  readonly edits: EditsPolicy
  /** an approval carries a passkey's signature */
  readonly signatureRequired: boolean
  readonly facts: CallFacts
  readonly outcomeOf: string | null
  /** its contents were erased by a person: in their place stands that */
  readonly erased: RequestErasure | null
  /** changes whenever anything of this record may have changed; for `ETag` */
  readonly version: string
}
