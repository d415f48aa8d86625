import type { Actor, Channel } from '../domain/actor.ts'
import type { AuditEntry } from '../domain/audit-event.ts'
import type { Judgement } from '../domain/judgement.ts'
import type { Json, JsonObject } from '../domain/json.ts'
import type { CallFacts } from '../domain/request.ts'
import type { Signer, Verifier } from '../domain/statements/statement-bytes.ts'
import type { Policy } from '../policy/policy.ts'
import type { Db } from '../store/database.ts'
import type { AnnouncedDecision, WrittenOutboxRow } from '../store/outbox.ts'
import type {
  AttachmentsAnswer,
  AttachmentsQuestion,
} from './runs/attachments/attachments-question.ts'
import type { ReplayAnswer, ReplayQuestion } from './policy/replay/replay-question.ts'

/** Structured log of ids, never of arguments (security.md 25). */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

/** What every verb gets. Built once by a composition root; verbs never build clients. */
export interface ServiceContext {
  readonly db: Db
  readonly verifier: Verifier
  readonly log: Log
  /** names this process in leases; new at every start */
  readonly processId: string
  readonly policies: PolicyReader
  /** Wakes this process's relay for rows just committed; returns at once. `null`: this process has no relay. */
  readonly outboxCommitted: ((rows: readonly WrittenOutboxRow[]) => void) | null
  /** Signals a decision ahead of its commit; false, or nothing, when it is to be delivered after it as usual. */
  readonly outboxAnnounced?: (decision: AnnouncedDecision) => Promise<boolean> | undefined
  /** Told what a unit of work committed, to be counted; absent: nobody counts. */
  readonly recorded?: (entries: readonly AuditEntry[]) => void
}

/** The policy versions this installation has activated; every answer's activation signature was verified. */
export interface PolicyReader {
  inForce(): Promise<Policy>
  byDigest(digest: string): Promise<Policy>
}

/** The API process: it alone can sign. */
export interface SigningContext extends ServiceContext {
  readonly signer: Signer
  /** the installation's own Temporal task queue, of workspaces that name none */
  readonly taskQueue: string
  /** Judges a call on the host that has the workspace (workflow `judge`). Rejects with `workspace_unreachable` after 10 s. */
  readonly judgeRemotely: (question: RemoteQuestion) => Promise<RemoteJudgement>
  /** The tools of a worker that only people may invoke, of the host that can load them. Rejects alike. */
  readonly manualToolsOf: (worker: string) => Promise<readonly ManualTool[]>
  /** Reads the files that a run is to be given, on the same host. Rejects alike. */
  readonly readAttachments: (question: AttachmentsQuestion) => Promise<AttachmentsAnswer>
  /** Judges past calls again, on the same host. Rejects alike. */
  readonly replayRemotely: (question: ReplayQuestion) => Promise<ReplayAnswer>
}

/** The other question that only the host of the workspace can answer: see `manualToolsOf`. */
export interface ManualToolsQuestion {
  /** name of a worker */
  readonly manualToolsOf: string
}

/** A tool that people may invoke on a run (product.md 5). */
export interface ManualTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its input */
  readonly inputSchema: JsonObject
}

/** A hypothetical or edited call. With `runId` the run's mode, grants and earlier proposals of the turn count. */
export interface RemoteQuestion {
  readonly worker: string
  readonly tool: string
  readonly input: Json
  readonly runId?: string
  readonly callId?: string
  /** also build what would be shown, and store it in `content` */
  readonly present: boolean
  /** a person invokes the tool (product.md 5); that of a call of the run is known */
  readonly byPerson?: boolean
  /** a program that is no run of ours would make the call: of tools that only it knows, people are asked */
  readonly byProgram?: boolean
}

export interface RemoteJudgement {
  readonly judgement: Judgement
  readonly presented: StoredPresentation | null
}

/** A presentation whose parts are stored in `content`: everything a `request_revision` row needs. */
export interface StoredPresentation {
  readonly title: string
  readonly inputHash: string
  readonly facts: CallFacts
  readonly factsDigest: string
  readonly presentationHash: string
  readonly presentationDigest: string
  readonly contentHash: string
  readonly contentType: string
  /** of the bytes of files that the presentation names; absent: it names none */
  readonly fileHashes?: readonly string[]
}

/** Who calls a verb, and through which channel. `person.id` is the canonical person id. */
export interface Caller {
  readonly actor: Actor
  readonly channel: Channel
}
