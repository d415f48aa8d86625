import type { Migration } from 'kysely/migration'
import * as initial from './20261121T000000Z-initial.ts'
import * as manualCalls from './20261122T033000Z-manual-calls.ts'
import * as permitOfCall from './20261122T034500Z-permit-of-call.ts'
import * as mcpPins from './20261122T035500Z-mcp-pins.ts'
import * as signedPins from './20261122T072200Z-signed-pins.ts'
import * as runAttachments from './20261122T073500Z-run-attachments.ts'
import * as waitingSteps from './20261122T103100Z-waiting-steps.ts'
import * as liveOutput from './20261122T073000Z-live-output.ts'
import * as externalRequests from './20261122T103500Z-external-requests.ts'
import * as auditLog from './20261122T104000Z-audit-log.ts'
import * as policyProposal from './20261122T033100Z-policy-proposal.ts'
import * as webhooks from './20261122T111000Z-webhooks.ts'
import * as passkeys from './20261122T140600Z-passkeys.ts'
import * as sessionIds from './20261122T140000Z-session-ids.ts'
import * as deliveryRecipients from './20261122T140100Z-delivery-recipients.ts'
import * as deadDeliveries from './20261122T140200Z-dead-deliveries.ts'
import * as restored from './20261122T140500Z-restored.ts'
import * as identities from './20261122T141500Z-identities.ts'
import * as mailChoices from './20261122T141300Z-mail-choices.ts'
import * as mailedLinks from './20261122T141200Z-mailed-links.ts'
import * as installationKeys from './20261122T141000Z-installation-keys.ts'
import * as slack from './20261122T141500Z-slack.ts'
import * as retention from './20261122T142100Z-retention.ts'
import * as keyRotation from './20261122T142500Z-key-rotation.ts'
import * as lists from './20261122T141500Z-lists.ts'
import * as callbacks from './20261122T143500Z-callbacks.ts'
import * as erasure from './20261122T144000Z-erasure.ts'
import * as erasedRequests from './20261122T180600Z-erased-requests.ts'
import * as endedLists from './20261122T180500Z-ended-lists.ts'
import * as trailOfType from './20261122T183500Z-trail-of-type.ts'
import * as resultFiles from './20261122T103500Z-result-files.ts'
import * as keyProposals from './20261123T081000Z-key-proposals.ts'
import * as sealedRows from './20261123T083000Z-sealed-rows.ts'
import * as sessionProof from './20261123T083000Z-session-proof.ts'
import * as sealedCredentials from './20261123T084500Z-sealed-credentials.ts'
import * as alike from './20261123T100000Z-alike.ts'
import * as externalOrigins from './20261123T123000Z-external-origins.ts'
import * as peopleOfRuns from './20261124T011500Z-people-of-runs.ts'
import * as factsHeadline from './20261125T011500Z-facts-headline.ts'
import * as gatewayCalls from './20261125T010700Z-mcp-gateway-calls.ts'
import * as liveText from './20261125T011500Z-live-text.ts'
import * as streamUsage from './20261125T021500Z-stream-usage.ts'
import * as restoredEpoch from './20261122T213000Z-restored-epoch.ts'
import * as refusedAttempts from './20261123T083500Z-refused-attempts.ts'
import * as witnesses from './20261122T181100Z-witnesses.ts'
import * as conversations from './20261125T010500Z-conv-conversations.ts'
import * as pocketPush from './20261125T011500Z-pocket-push.ts'
import * as triageRunSearch from './20261125T013500Z-triage-run-search.ts'
import * as budgets from './20261125T015500Z-conv-budgets.ts'
import * as pocketRules from './20261125T015500Z-pocket-rules.ts'
import * as triageVerbs from './20261125T021000Z-triage-verbs.ts'
import * as pocketQuiet from './20261125T021500Z-pocket-quiet.ts'
import * as windowSteps from './20261125T044500Z-window-steps.ts'
import * as chatFileChanges from './20261125T050000Z-chat-file-changes.ts'
import * as startApproval from './20261125T044500Z-starts-approval.ts'
import * as startsByNobody from './20261125T051000Z-starts-by-nobody.ts'
import * as startsSchedules from './20261125T053000Z-starts-schedules.ts'
import * as startsBudgets from './20261125T055000Z-starts-budgets.ts'
import * as inboxUrgency from './20261125T050500Z-inbox-urgency.ts'
import * as gitWorkspaces from './20261125T045500Z-git-workspaces.ts'

/** Every migration in order; the name is the key Kysely remembers. */
export const migrations: Record<string, Migration> = {
  '20261121T000000Z-initial': initial,
  '20261122T033000Z-manual-calls': manualCalls,
  '20261122T033100Z-policy-proposal': policyProposal,
  '20261122T034500Z-permit-of-call': permitOfCall,
  '20261122T035500Z-mcp-pins': mcpPins,
  '20261122T072200Z-signed-pins': signedPins,
  '20261122T073500Z-run-attachments': runAttachments,
  '20261122T073000Z-live-output': liveOutput,
  '20261122T103100Z-waiting-steps': waitingSteps,
  '20261122T103500Z-result-files': resultFiles,
  '20261122T103500Z-external-requests': externalRequests,
  '20261122T104000Z-audit-log': auditLog,
  '20261122T111000Z-webhooks': webhooks,
  '20261122T141200Z-mailed-links': mailedLinks,
  '20261122T141300Z-mail-choices': mailChoices,
  '20261122T140000Z-session-ids': sessionIds,
  '20261122T141500Z-identities': identities,
  '20261122T142500Z-key-rotation': keyRotation,
  '20261122T140100Z-delivery-recipients': deliveryRecipients,
  '20261122T140200Z-dead-deliveries': deadDeliveries,
  '20261122T140600Z-passkeys': passkeys,
  '20261122T140500Z-restored': restored,
  '20261122T141000Z-installation-keys': installationKeys,
  '20261122T141500Z-slack': slack,
  '20261122T142100Z-retention': retention,
  '20261122T141500Z-lists': lists,
  '20261122T143500Z-callbacks': callbacks,
  '20261122T144000Z-erasure': erasure,
  '20261122T180600Z-erased-requests': erasedRequests,
  '20261122T181100Z-witnesses': witnesses,
  '20261122T180500Z-ended-lists': endedLists,
  '20261122T183500Z-trail-of-type': trailOfType,
  '20261122T213000Z-restored-epoch': restoredEpoch,
  '20261123T081000Z-key-proposals': keyProposals,
  '20261123T083000Z-sealed-rows': sealedRows,
  '20261123T083000Z-session-proof': sessionProof,
  '20261123T083500Z-refused-attempts': refusedAttempts,
  '20261123T084500Z-sealed-credentials': sealedCredentials,
  '20261123T100000Z-alike': alike,
  '20261123T123000Z-external-origins': externalOrigins,
  '20261124T011500Z-people-of-runs': peopleOfRuns,
  '20261125T010500Z-conv-conversations': conversations,
  '20261125T011500Z-pocket-push': pocketPush,
  '20261125T011500Z-facts-headline': factsHeadline,
  '20261125T013500Z-triage-run-search': triageRunSearch,
  '20261125T010700Z-mcp-gateway-calls': gatewayCalls,
  '20261125T015500Z-conv-budgets': budgets,
  '20261125T015500Z-pocket-rules': pocketRules,
  '20261125T011500Z-live-text': liveText,
  '20261125T021500Z-stream-usage': streamUsage,
  '20261125T021000Z-triage-verbs': triageVerbs,
  '20261125T021500Z-pocket-quiet': pocketQuiet,
  '20261125T044500Z-window-steps': windowSteps,
  '20261125T050000Z-chat-file-changes': chatFileChanges,
  '20261125T044500Z-starts-approval': startApproval,
  '20261125T051000Z-starts-by-nobody': startsByNobody,
  '20261125T053000Z-starts-schedules': startsSchedules,
  '20261125T055000Z-starts-budgets': startsBudgets,
  '20261125T050500Z-inbox-urgency': inboxUrgency,
  '20261125T045500Z-git-workspaces': gitWorkspaces,
}
