import type {
  AuditEventTable,
  AuditLeafTable,
  AuditTileTable,
  AuditCheckpointTable,
  AuditCosignatureTable,
  AuditWitnessTable,
  AuditUnsequencedTable,
} from './tables/audit.ts'
import type { ErasedContentTable, ContentTable } from './tables/content.ts'
import type {
  ClearedRunTable,
  KeptStreamTable,
  ReleasedContentTable,
  RemovedContentTable,
} from './tables/retention.ts'
import type {
  DecisionTable,
  PermitTable,
  ApprovalGrantTable,
  IdempotencyTable,
} from './tables/decisions.ts'
import type { OutboxTable, EventTable, EndpointTable, DeliveryTable } from './tables/deliveries.ts'
import type { ExecutionTable, LiveOutputTable, ResultFileTable } from './tables/executions.ts'
import type { InstallationTable } from './tables/installation.ts'
import type { InstallationKeyTable } from './tables/keys.ts'
import type {
  MailChoiceTable,
  MailDigestTable,
  MailExpiringTable,
  MailNewsTable,
} from './tables/mail.ts'
import type {
  PersonTable,
  TeamMemberTable,
  MembershipTable,
  IdentityTable,
  SignInFlowTable,
  SessionTable,
  SignInLinkTable,
  ApiKeyTable,
} from './tables/people.ts'
import type { CredentialTable, PasskeyChallengeTable } from './tables/passkeys.ts'
import type {
  PolicyVersionTable,
  PolicyActivationTable,
  PolicyProposalTable,
  WorkerVersionTable,
  McpPinTable,
} from './tables/policy.ts'
import type {
  RequestTable,
  ErasedRequestTable,
  ExternalRequestTable,
  RequestFileTable,
  RequestRevisionTable,
  RequestPrincipalTable,
  ClaimTable,
  CommentTable,
} from './tables/requests.ts'
import type {
  RunTable,
  RunLineageTable,
  TurnAttemptTable,
  MessageTable,
  ToolCallTable,
  ManualCallTable,
} from './tables/runs.ts'
import type {
  SlackHeardTable,
  SlackLinkCodeTable,
  SlackLinkTable,
  SlackMessageTable,
} from './tables/slack.ts'

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
  mail_choice: MailChoiceTable
  mail_digest: MailDigestTable
  mail_news: MailNewsTable
  mail_expiring: MailExpiringTable
  api_key: ApiKeyTable
  content: ContentTable
  erased_content: ErasedContentTable
  cleared_run: ClearedRunTable
  kept_stream: KeptStreamTable
  released_content: ReleasedContentTable
  removed_content: RemovedContentTable
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
  request_file: RequestFileTable
  erased_request: ErasedRequestTable
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
  slack_message: SlackMessageTable
  slack_link: SlackLinkTable
  slack_link_code: SlackLinkCodeTable
  slack_heard: SlackHeardTable
  audit_event: AuditEventTable
  audit_leaf: AuditLeafTable
  audit_tile: AuditTileTable
  audit_checkpoint: AuditCheckpointTable
  audit_cosignature: AuditCosignatureTable
  audit_witness: AuditWitnessTable
  audit_unsequenced: AuditUnsequencedTable
  idempotency: IdempotencyTable
}
