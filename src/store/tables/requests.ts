import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { StoredCue } from '#domain/policy/cues.ts'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { DeploymentOrigin } from '#domain/requests/deployment.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import type {
  CallFacts,
  CancelReason,
  DenialThen,
  ExternalOutcome,
  RequestKind,
  RequestState,
} from '#domain/requests/request.ts'
import type { Risk, Rule, Verdict } from '#domain/policy/verdict.ts'
import type { GeneratedTimestamp, Jsonb, Seal, Timestamp } from './columns.ts'

export interface RequestTable {
  id: string
  number: GeneratedAlways<string>
  kind: RequestKind
  state: Generated<RequestState>
  revision: Generated<number>
  queue: string
  team: string
  risk: Risk
  tool: string
  title: string
  digest: string
  policy_digest: string
  rule: Jsonb<Rule>
  routing: Jsonb<Routing>
  agent_reason_hash: string | null
  run_id: string | null
  root_run_id: string | null
  call_id: string | null
  turn: number | null
  position: number | null
  attempt: Generated<number>
  previous: Generated<string[]>
  superseded_by: string | null
  outcome_of: string | null
  created_at: GeneratedTimestamp
  expires_at: Timestamp
  decided_at: Timestamp | null
  denied_then: DenialThen | null
  cancel_reason: CancelReason | null
  epoch: number
  /** when the next step of its routing is due; `null`: there is none */
  next_step_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  /** when each step was taken */
  steps_taken: ColumnType<Date[] | null, undefined, never>
  /** digest of all of its principals */
  principals_digest: ColumnType<string | null, string | null | undefined, string | null>
  seal: Seal
  /**
   * the person who started its run (a trigger fills it), or who owns the key that asks for it; used
   * only to decide who sees it
   */
  owner_id: ColumnType<string | null, string | undefined, never>
  /** the other owner of its run, or the person for whom a program asks; `null`: nobody else */
  co_owner_id: ColumnType<string | null, string | null | undefined, never>
  /** its place in the order by urgency, kept by triggers; 12 once it has ended */
  urgency_rank: ColumnType<number, never, number>
  /** microseconds of the epoch, negative once it has ended */
  urgency_at: ColumnType<string, never, string>
  /** when its deadline comes into another class */
  urgency_next_at: ColumnType<Date | null, never, Date | null>
}

/** The part of a request that only programs have: who asked, and how the approval was used. */
export interface ExternalRequestTable {
  request_id: string
  /** owner of the API key; `external_id` is unique for each owner */
  owner_id: string
  external_id: string
  api_key_id: string
  on_behalf_of: string | null
  /** the worker whose policy judged it first */
  worker: string | null
  verdict: Extract<Verdict, 'ask' | 'preApproved'>
  /** hash of the body, so that the same id cannot stand for another call */
  body_hash: string
  /** hash of what the program claims, canonical JSON */
  claim_hash: string | null
  metadata: Jsonb<JsonObject | null>
  /** hash of the place where the program claims to work, canonical JSON; `null`: it named none */
  origin_hash: string | null
  /** whether its proof was valid and the folder is in the workspace; `null`: it named no folder */
  origin_proved: boolean | null
  /** the API key that consumed the permit */
  consumed_by: string | null
  consumed_at: Timestamp | null
  /** digest of the call that the permit allowed; a trigger writes it with `consumed_at` */
  consumed_digest: string | null
  outcome: ExternalOutcome | null
  /** where the end is posted, and the secret that signs it; both or none */
  callback_url: string | null
  callback_secret: string | null
  /** of a salted text */
  outcome_summary_hash: string | null
  outcome_at: Timestamp | null
  /** the identity of a call in an agent's session; `null`: the request is not from a hook */
  hook_call: string | null
  /** the agent's own id of the call that got the permit */
  hook_use: string | null
  /** when the agent got the answer that refuses its call */
  told_at: Timestamp | null
  /** for a deployment: how GitHub is answered; `null`: a program asked */
  deployment: Jsonb<DeploymentOrigin | null>
  seal: Seal
}

export interface RequestRevisionTable {
  request_id: string
  revision: number
  title: string
  digest: string
  input_hash: string
  facts: Jsonb<CallFacts>
  presentation_hash: string
  presentation_digest: string
  content_hash: string
  content_type: string
  /** what it does, as a sentence; `null`: its title says so */
  effect: string | null
  /** its cues; `null`: none */
  cues: Jsonb<readonly StoredCue[] | null>
  editor_id: string | null
  /** of a salted text: read with `getSaltedText` (services/requests/words) */
  reason_hash: string | null
  created_at: GeneratedTimestamp
  seal: Seal
}

export interface RequestTables {
  request: RequestTable
  external_request: ExternalRequestTable
  request_revision: RequestRevisionTable
  /**
   * A file that a request's command names, as it was then. The presentation has its hash; the bytes
   * are in `content`.
   */
  request_file: {
    request_id: string
    hash: string
  }
  /**
   * A request whose contents were erased on a person's order, with the hash and size of each
   * (services/erasure).
   */
  erased_request: {
    request_id: string
    by_id: string
    at: GeneratedTimestamp
    contents: Jsonb<readonly { of: string; revision: number | null; hash: string; bytes: number }[]>
  }
  request_principal: {
    request_id: string
    person_id: string
    why: string
  }
  claim: {
    request_id: string
    person_id: string
    claimed_at: GeneratedTimestamp
    lease_until: Timestamp
  }
  comment: {
    id: string
    request_id: string
    person_id: string
    /** of a salted text */
    text_hash: string
    created_at: GeneratedTimestamp
    /** the line that it is about; null: the request as a whole */
    anchor: ColumnType<CommentAnchor | null, string | null | undefined, never>
    /** when its author last edited it */
    edited_at: Generated<Date | null>
  }
  /** A request that somebody has snoozed for themselves. */
  request_snooze: {
    request_id: string
    person_id: string
    until: Timestamp
  }
  /** The last colleague whom a request was handed to. */
  request_handover: {
    request_id: string
    to_id: string
    by_id: string
    at: GeneratedTimestamp
  }
  /** When a request was last nudged. */
  request_nudge: {
    request_id: string
    by_id: string
    at: GeneratedTimestamp
  }
}
