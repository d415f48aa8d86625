import type {
  MonthlyBudgetTable,
  SchedulePauseTable,
  ScheduleTimeTable,
  ScheduleWatchTable,
  TriggerPauseTable,
} from './schedules.ts'
import type {
  AuditEventTable,
  AuditLeafTable,
  RefusedAttemptTable,
  AuditTileTable,
  AuditCheckpointTable,
  AuditCosignatureTable,
  AuditWitnessTable,
  AuditUnsequencedTable,
} from './audit.ts'
import type {
  ErasedContentTable,
  ContentTable,
  ClearedRunTable,
  KeptStreamTable,
  ReleasedContentTable,
  RemovedContentTable,
} from './content.ts'
import type { GatewayCallTable } from './gateway.ts'
import type {
  DecisionTable,
  PermitTable,
  ApprovalGrantTable,
  IdempotencyTable,
} from './decisions.ts'
import type {
  OutboxTable,
  EventTable,
  EndpointTable,
  DeliveryTable,
  MailChoiceTable,
  MailDigestTable,
  MailExpiringTable,
  MailNewsTable,
  PushChoiceTable,
  SlackHeardTable,
  SlackLinkCodeTable,
  SlackLinkTable,
  SlackMessageTable,
} from './deliveries.ts'
import type {
  ExecutionTable,
  FileChangeTable,
  LiveOutputTable,
  LiveTextTable,
  ResultFileTable,
  RunTable,
  RunLineageTable,
  RunPrefixTable,
  RunPrincipalTable,
  RunWindowTable,
  TurnAttemptTable,
  MessageFileTable,
  MessageTable,
  ToolCallTable,
  ManualCallTable,
} from './runs.ts'
import type { InstallationTable, InstallationKeyTable } from './installation.ts'
import type {
  PersonTable,
  TeamMemberTable,
  MembershipTable,
  IdentityTable,
  SignInFlowTable,
  SessionTable,
  SignInLinkTable,
  AbsenceTable,
  ApiKeyProposalTable,
  ApiKeyTable,
  CredentialTable,
  PasskeyChallengeTable,
  PushSubscriptionTable,
  SavedViewTable,
} from './people.ts'
import type {
  PolicyVersionTable,
  PolicyActivationTable,
  PolicyChangeTable,
  PolicyProposalTable,
  WorkerVersionTable,
  McpPinTable,
} from './policy.ts'
import type {
  RequestTable,
  ErasedRequestTable,
  ExternalRequestTable,
  RequestFileTable,
  RequestRevisionTable,
  RequestPrincipalTable,
  ClaimTable,
  CommentTable,
  RequestHandoverTable,
  RequestNudgeTable,
  RequestSnoozeTable,
} from './requests.ts'

/** Every table. `bigint` columns arrive as strings. */
export interface Database {
  installation: InstallationTable
  installation_key: InstallationKeyTable
  person: PersonTable
  team_member: TeamMemberTable
  membership: MembershipTable
  identity: IdentityTable
  sign_in_flow: SignInFlowTable
  session: SessionTable
  sign_in_link: SignInLinkTable
  credential: CredentialTable
  passkey_challenge: PasskeyChallengeTable
  push_subscription: PushSubscriptionTable
  push_choice: PushChoiceTable
  mail_choice: MailChoiceTable
  mail_digest: MailDigestTable
  mail_news: MailNewsTable
  mail_expiring: MailExpiringTable
  api_key: ApiKeyTable
  api_key_proposal: ApiKeyProposalTable
  content: ContentTable
  erased_content: ErasedContentTable
  cleared_run: ClearedRunTable
  kept_stream: KeptStreamTable
  released_content: ReleasedContentTable
  removed_content: RemovedContentTable
  policy_version: PolicyVersionTable
  policy_activation: PolicyActivationTable
  policy_proposal: PolicyProposalTable
  policy_change: PolicyChangeTable
  worker_version: WorkerVersionTable
  run: RunTable
  run_lineage: RunLineageTable
  run_prefix: RunPrefixTable
  run_principal: RunPrincipalTable
  schedule_time: ScheduleTimeTable
  schedule_watch: ScheduleWatchTable
  monthly_budget: MonthlyBudgetTable
  schedule_pause: SchedulePauseTable
  trigger_pause: TriggerPauseTable
  run_window: RunWindowTable
  turn_attempt: TurnAttemptTable
  message: MessageTable
  tool_call: ToolCallTable
  manual_call: ManualCallTable
  mcp_pin: McpPinTable
  request: RequestTable
  external_request: ExternalRequestTable
  gateway_call: GatewayCallTable
  request_revision: RequestRevisionTable
  request_file: RequestFileTable
  erased_request: ErasedRequestTable
  request_principal: RequestPrincipalTable
  decision: DecisionTable
  permit: PermitTable
  approval_grant: ApprovalGrantTable
  execution: ExecutionTable
  live_output: LiveOutputTable
  live_text: LiveTextTable
  result_file: ResultFileTable
  message_file: MessageFileTable
  file_change: FileChangeTable
  claim: ClaimTable
  comment: CommentTable
  request_snooze: RequestSnoozeTable
  request_handover: RequestHandoverTable
  request_nudge: RequestNudgeTable
  absence: AbsenceTable
  saved_view: SavedViewTable
  outbox: OutboxTable
  event: EventTable
  endpoint: EndpointTable
  delivery: DeliveryTable
  slack_message: SlackMessageTable
  slack_link: SlackLinkTable
  slack_link_code: SlackLinkCodeTable
  slack_heard: SlackHeardTable
  audit_event: AuditEventTable
  refused_attempt: RefusedAttemptTable
  audit_leaf: AuditLeafTable
  audit_tile: AuditTileTable
  audit_checkpoint: AuditCheckpointTable
  audit_cosignature: AuditCosignatureTable
  audit_witness: AuditWitnessTable
  audit_unsequenced: AuditUnsequencedTable
  idempotency: IdempotencyTable
}
