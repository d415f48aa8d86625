import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { Actor } from '../domain/actor.ts'
import type { JsonObject } from '../domain/json.ts'
import type { Routing } from '../domain/judgement.ts'
import type {
  CallFacts,
  CallResultType,
  CancelReason,
  DecisionVerb,
  DenialThen,
  ExecutionState,
  ExternalOutcome,
  PermitState,
  RequestKind,
  RequestState,
  RunState,
} from '../domain/request.ts'
import type { Risk, Rule, RunMode, Scope, Verdict } from '../domain/verdict.ts'

/** `timestamptz`: read as Date, written as Date or an SQL expression of the database clock. */
type Timestamp = ColumnType<Date, Date | string, Date | string>
type GeneratedTimestamp = ColumnType<Date, Date | string | undefined, Date | string>
/** `jsonb`: parsed when read, written as JSON text. Use `toJsonb` to write. */
type Jsonb<T> = ColumnType<T, string | Extract<T, null>, string | Extract<T, null>>

/** Why a run stands still or ended badly: stable code and a sentence that says what to do. */
export interface RunFailure {
  readonly code: string
  readonly message: string
}

export interface InstallationTable {
  id: Generated<number>
  namespace_id: string | null
  epoch: Generated<number>
  created_at: GeneratedTimestamp
}

export interface PersonTable {
  id: string
  email: string
  name: string
  disabled_at: Timestamp | null
  created_at: GeneratedTimestamp
}

export interface TeamMemberTable {
  team: string
  person_id: string
}

export interface SessionTable {
  token_hash: string
  person_id: string
  csrf_token: string
  channel: string
  created_at: GeneratedTimestamp
  last_seen_at: GeneratedTimestamp
  expires_at: Timestamp
}

export interface SignInLinkTable {
  token_hash: string
  person_id: string
  created_at: GeneratedTimestamp
  expires_at: Timestamp
  used_at: Timestamp | null
}

export interface ApiKeyTable {
  id: string
  name: string
  owner_id: string
  secret_hash: string
  scopes: string[]
  created_at: GeneratedTimestamp
  last_used_at: Timestamp | null
  revoked_at: Timestamp | null
}

export interface ContentTable {
  hash: string
  encoding: 'identity' | 'zstd'
  size: number
  bytes: Buffer
}

export interface PolicyVersionTable {
  digest: string
  document: Jsonb<JsonObject>
  created_at: GeneratedTimestamp
}

export interface PolicyActivationTable {
  sequence: number
  digest: string
  statement: string
  signature: string
  key_id: string
  actor: Jsonb<Actor>
  note: string | null
  activated_at: GeneratedTimestamp
}

export interface PolicyProposalTable {
  id: string
  digest: string
  previous_digest: string
  proposed_by: string
  note: string | null
  /** over the statement that the columns above make, with `expires_at` */
  statement: string
  signature: string
  key_id: string
  state: Generated<'open' | 'activated' | 'cancelled' | 'superseded' | 'expired'>
  proposed_at: GeneratedTimestamp
  expires_at: Timestamp
  ended_at: Timestamp | null
  ended_by: string | null
}

export interface WorkerVersionTable {
  digest: string
  name: string
  definition: string
  script: string | null
}

export interface RunTable {
  id: string
  root_run_id: string
  parent_run_id: string | null
  parent_call_id: string | null
  worker: string
  worker_digest: string
  policy_digest: string
  mode: RunMode
  state: Generated<RunState>
  /** of canonical JSON in `content` */
  input_digest: string
  /** the input's first line */
  title: string
  /** the files that it was given with its task; `null`: none */
  attachments: Jsonb<
    readonly { path: string; bytes: number; hash: string; given: boolean }[] | null
  >
  started_by: string
  api_key_id: string | null
  workflow_id: string
  task_queue: string
  turn: Generated<number>
  failure: Jsonb<RunFailure | null>
  output: string | null
  end_reason: string | null
  pending_requests: Generated<number>
  epoch: number
  created_at: GeneratedTimestamp
  ended_at: Timestamp | null
  /** over the statement that the columns above make (services/runs/verify-run) */
  signature: string
  key_id: string
}

export interface RunLineageTable {
  run_id: string
  ancestor_id: string
  depth: number
}

export interface TurnAttemptTable {
  run_id: string
  turn: number
  attempt: number
  started_at: GeneratedTimestamp
  finished_at: Timestamp | null
  outcome: string | null
  input_tokens: string | null
  output_tokens: string | null
}

export interface MessageTable {
  id: string
  run_id: string
  sequence: number
  turn: number | null
  role: 'user' | 'assistant'
  author: Jsonb<Actor | null>
  content_hash: string
  created_at: GeneratedTimestamp
}

export interface ToolCallTable {
  id: string
  run_id: string
  turn: number
  position: number
  tool_call_id: string
  tool: string
  input_hash: string
  digest: string | null
  verdict: Verdict | null
  rule: Jsonb<Rule | null>
  policy_digest: string | null
  read_only: Generated<boolean>
  manual: Generated<boolean>
  grant_id: string | null
  facts: Jsonb<CallFacts | null>
  request_id: string | null
  judged_times: Generated<number>
  result_type: CallResultType | null
  result_text_hash: string | null
  result_output_hash: string | null
  finished_at: Timestamp | null
}

/** A call that a person made of a manual tool; its `tool_call` has a turn of its own below zero. */
export interface ManualCallTable {
  call_id: string
  run_id: string
  invoked_by: string
  /** the run's last turn when it was made */
  after_turn: number
  /** the message by which its result entered the transcript */
  message_id: string | null
  created_at: GeneratedTimestamp
}

/** What an MCP server said of its tools when a version was activated. */
export interface McpPinTable {
  activation: number
  worker: string
  server: string
  server_hash: string
  definitions_hash: string
  pinned_at: GeneratedTimestamp
  changed_at: Timestamp | null
  /** what was said then */
  changed_hash: string | null
  statement: string
  signature: string
  key_id: string
}

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
  /** when the next of its routing's steps is due; `null`: none is */
  next_step_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  /** when each step so far was taken */
  steps_taken: ColumnType<Date[] | null, undefined, never>
}

/** A request of a program that is no run of ours: who asked, and what became of the approval. */
export interface ExternalRequestTable {
  request_id: string
  /** of the key; `external_id` is unique for each */
  owner_id: string
  external_id: string
  api_key_id: string
  on_behalf_of: string | null
  /** whose policy judged it first */
  worker: string | null
  verdict: Extract<Verdict, 'ask' | 'preApproved'>
  /** of what was asked, so that the same id cannot ask for something else */
  body_hash: string
  /** of the program's own words, canonical JSON */
  claim_hash: string | null
  metadata: Jsonb<JsonObject | null>
  /** the key that took the permit */
  consumed_by: string | null
  consumed_at: Timestamp | null
  outcome: ExternalOutcome | null
  /** of a salted text */
  outcome_summary_hash: string | null
  outcome_at: Timestamp | null
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
  editor_id: string | null
  /** of a salted text: read with `getSaltedText` (services/decisions) */
  reason_hash: string | null
  created_at: GeneratedTimestamp
}

export interface RequestPrincipalTable {
  request_id: string
  person_id: string
  why: string
}

export interface DecisionTable {
  id: string
  request_id: string
  revision: number
  person_id: string
  decision: DecisionVerb
  digest: string
  scope: Scope | null
  denied_then: DenialThen | null
  grant_bounds: Jsonb<JsonObject | null>
  /** of a salted text: read with `getSaltedText` (services/decisions) */
  reason_hash: string | null
  self_approved: Generated<boolean>
  edited: Generated<boolean>
  batch_decision_id: string | null
  channel: string
  at: GeneratedTimestamp
}

export interface PermitTable {
  id: string
  request_id: string
  revision: number
  attempt: number
  run_id: string | null
  call_id: string | null
  state: Generated<PermitState>
  statement: string
  signature: string
  key_id: string
  epoch: number
  issued_at: GeneratedTimestamp
  expires_at: Timestamp
  ended_at: Timestamp | null
}

export interface ApprovalGrantTable {
  id: string
  root_run_id: string
  tool: string
  scope: Scope
  digest: string
  path: string | null
  queue: string
  team: string
  granted_by: string
  request_id: string
  uses_allowed: number | null
  uses: Generated<number>
  expires_at: Timestamp | null
  revoked_at: Timestamp | null
  revoked_by: string | null
  ended_at: Timestamp | null
  statement: string
  signature: string
  key_id: string
  created_at: GeneratedTimestamp
}

export interface ExecutionTable {
  call_id: string
  attempt: number
  state: ExecutionState
  reason: string | null
  request_id: string | null
  permit_id: string | null
  grant_id: string | null
  executed_digest: string | null
  executor: string | null
  exit_code: number | null
  output_hash: string | null
  detail: Jsonb<JsonObject | null>
  settled_by: string | null
  settled_then: string | null
  epoch: number
  started_at: Timestamp | null
  finished_at: Timestamp | null
}

/** The newest bytes of what a running command has written to one of its streams. */
export interface LiveOutputTable {
  call_id: string
  stream: 'stdout' | 'stderr'
  attempt: number
  /** bytes that were written before those that are here */
  skipped: number
  bytes: Buffer
}

/** Bytes that a call's result holds besides its text; the bytes are in `content`. */
export interface ResultFileTable {
  call_id: string
  position: number
  hash: string
  /** a picture's only where its bytes are that picture's */
  media_type: string
  bytes: number
}

export interface ClaimTable {
  request_id: string
  person_id: string
  claimed_at: GeneratedTimestamp
  lease_until: Timestamp
}

export interface CommentTable {
  id: string
  request_id: string
  person_id: string
  /** of a salted text */
  text_hash: string
  created_at: GeneratedTimestamp
}

export interface OutboxTable {
  id: GeneratedAlways<string>
  run_id: string | null
  kind: string
  payload: Jsonb<JsonObject>
  attempts: Generated<number>
  leased_until: Timestamp | null
  lease_owner: string | null
  last_error: string | null
  created_at: GeneratedTimestamp
  delivered_at: Timestamp | null
  undeliverable_at: Timestamp | null
}

export interface EventTable {
  id: string
  sequence: string | null
  type: string
  subject: Jsonb<JsonObject>
  created_at: GeneratedTimestamp
}

/** A webhook's endpoint: the events up to `told_until` have their deliveries. */
export interface EndpointTable {
  name: string
  told_until: string
  created_at: GeneratedTimestamp
}

/** One notification for one endpoint. Its id is the `webhook-id`, the same at every attempt. */
export interface DeliveryTable {
  id: string
  endpoint: string
  event_id: string
  type: string
  request_id: string | null
  /** what is sent, byte for byte */
  body: string
  state: Generated<'pending' | 'delivered' | 'dead'>
  attempts: Generated<number>
  /** when it is due; while it is being sent, when it may be sent again */
  next_attempt_at: GeneratedTimestamp
  last_status: number | null
  last_error: string | null
  created_at: GeneratedTimestamp
  ended_at: Timestamp | null
}

export interface AuditEventTable {
  id: string
  at: Timestamp
  type: string
  actor_type: string
  actor_id: string | null
  run_id: string | null
  request_id: string | null
  call_id: string | null
  sequence: number | null
  document: string
}

export interface AuditLeafTable {
  index: string
  event_id: string
}

export interface AuditTileTable {
  level: number
  index: string
  root: Buffer
  hashes: Buffer
}

export interface AuditCheckpointTable {
  size: string
  note: string
  at: GeneratedTimestamp
}

export interface AuditUnsequencedTable {
  place: GeneratedAlways<string>
  event_id: string
}

export interface IdempotencyTable {
  principal: string
  key: string
  route: string
  body_hash: string
  status: number
  response: Jsonb<JsonObject>
  created_at: GeneratedTimestamp
}

/** Every table. `bigint` columns arrive as strings. */
export interface Database {
  installation: InstallationTable
  person: PersonTable
  team_member: TeamMemberTable
  session: SessionTable
  sign_in_link: SignInLinkTable
  api_key: ApiKeyTable
  content: ContentTable
  policy_version: PolicyVersionTable
  policy_activation: PolicyActivationTable
  policy_proposal: PolicyProposalTable
  worker_version: WorkerVersionTable
  run: RunTable
  run_lineage: RunLineageTable
  turn_attempt: TurnAttemptTable
  message: MessageTable
  tool_call: ToolCallTable
  manual_call: ManualCallTable
  mcp_pin: McpPinTable
  request: RequestTable
  external_request: ExternalRequestTable
  request_revision: RequestRevisionTable
  request_principal: RequestPrincipalTable
  decision: DecisionTable
  permit: PermitTable
  approval_grant: ApprovalGrantTable
  execution: ExecutionTable
  live_output: LiveOutputTable
  result_file: ResultFileTable
  claim: ClaimTable
  comment: CommentTable
  outbox: OutboxTable
  event: EventTable
  endpoint: EndpointTable
  delivery: DeliveryTable
  audit_event: AuditEventTable
  audit_leaf: AuditLeafTable
  audit_tile: AuditTileTable
  audit_checkpoint: AuditCheckpointTable
  audit_unsequenced: AuditUnsequencedTable
  idempotency: IdempotencyTable
}
