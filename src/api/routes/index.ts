import { failureLimit } from '../middleware/failure-limit.ts'
import type { ApiSettings } from '../context/api.ts'
import { auditRoutes } from './audit/audit.ts'
import { auditEvidenceRoutes } from './audit/audit-evidence.ts'
import { auditLogRoutes } from './audit/audit-log.ts'
import { authRoutes } from './access/auth.ts'
import { decisionRoutes } from './requests/decisions.ts'
import { externalRoutes } from './requests/external.ts'
import { erasureRoutes } from './requests/erasure.ts'
import { eventRoutes } from './notifications/events.ts'
import { grantRoutes } from './policy/grants.ts'
import { hookRoutes } from './requests/hooks.ts'
import { healthRoutes } from './operation/health.ts'
import { changeSetRoutes } from './requests/change-set.ts'
import { credentialRoutes } from './access/credentials.ts'
import { insightRoutes } from './requests/insights.ts'
import { keyRoutes } from './access/keys.ts'
import { savedViewRoutes } from './access/saved-views.ts'
import { meRoutes } from './access/me.ts'
import { passkeySignInRoutes } from './access/passkey-sign-in.ts'
import { oidcRoutes } from './access/oidc.ts'
import { notificationRoutes } from './notifications/notifications.ts'
import { hostLinkRoute, peopleRoutes } from './access/people.ts'
import { policyChangeRoutes } from './policy/changes.ts'
import { policyRoutes } from './policy/policy.ts'
import { pushRoutes } from './notifications/push.ts'
import { queueRoutes } from './requests/queues.ts'
import { requestActionRoutes } from './requests/request-actions.ts'
import { requestRoutes } from './requests/requests.ts'
import { retentionRoutes } from './operation/retention.ts'
import { revisionRoutes } from './requests/revisions.ts'
import { runActionRoutes } from './runs/run-actions.ts'
import { runChangesRoutes } from './runs/run-changes.ts'
import { runPreambleRoutes } from './runs/run-preamble.ts'
import { agUiRoutes } from './runs/ag-ui.ts'
import { runStreamRoutes } from './runs/run-stream.ts'
import { runRoutes } from './runs/runs.ts'
import { searchRoutes } from './operation/search.ts'
import { sessionRoutes } from './access/sessions.ts'
import { scheduleRoutes } from './runs/schedules.ts'
import { triggerListRoutes } from './runs/trigger-list.ts'
import { triggerRoutes } from './runs/triggers.ts'
import { deploymentRoutes } from './requests/deployments.ts'
import { slackRoutes } from './notifications/slack.ts'
import { triageRoutes } from './requests/triage.ts'
import { webhookRoutes } from './notifications/webhooks.ts'
import { workerRoutes } from './operation/workers.ts'

/** Every operation of the contract, in the order of the document. */
export function allRoutes(settings: ApiSettings) {
  // Whatever the method of sign-in, an address may fail ten times a minute (security.md 21).
  const failures = failureLimit(10, 'failed sign-ins')
  // Each start stores a row for minutes, for anybody.
  const starts = failureLimit(300, 'starts of a sign-in')
  return [
    ...authRoutes(settings, failures),
    ...passkeySignInRoutes({ failures, starts }),
    ...oidcRoutes({ failures, starts }),
    ...meRoutes,
    ...savedViewRoutes,
    ...notificationRoutes,
    ...pushRoutes,
    ...sessionRoutes,
    ...runRoutes,
    ...runStreamRoutes,
    ...agUiRoutes,
    ...runChangesRoutes,
    ...runPreambleRoutes,
    ...runActionRoutes,
    ...grantRoutes,
    ...queueRoutes,
    ...requestRoutes,
    ...insightRoutes,
    ...externalRoutes,
    ...hookRoutes,
    ...changeSetRoutes,
    ...decisionRoutes,
    ...revisionRoutes,
    ...requestActionRoutes,
    ...triageRoutes,
    ...auditRoutes,
    ...auditEvidenceRoutes,
    ...auditLogRoutes,
    ...searchRoutes,
    ...workerRoutes,
    ...policyRoutes,
    ...policyChangeRoutes,
    ...webhookRoutes,
    ...slackRoutes(),
    ...triggerRoutes(),
    ...triggerListRoutes,
    ...deploymentRoutes(),
    ...scheduleRoutes,
    ...keyRoutes,
    ...credentialRoutes,
    ...peopleRoutes,
    hostLinkRoute(failures),
    ...erasureRoutes,
    ...eventRoutes,
    ...healthRoutes,
    ...retentionRoutes,
  ]
}
