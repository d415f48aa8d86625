import { failureLimit } from '../middleware/failure-limit.ts'
import type { Route } from '../route.ts'
import type { ApiSettings } from '../settings.ts'
import { auditRoutes } from './audit.ts'
import { auditEvidenceRoutes } from './audit-evidence.ts'
import { auditLogRoutes } from './audit-log.ts'
import { authRoutes } from './auth.ts'
import { decisionRoutes } from './decisions.ts'
import { externalRoutes } from './external.ts'
import { erasureRoutes } from './erasure.ts'
import { eventRoutes } from './events.ts'
import { grantRoutes } from './grants.ts'
import { healthRoutes } from './health.ts'
import { credentialRoutes } from './credentials.ts'
import { keyRoutes } from './keys.ts'
import { meRoutes } from './me.ts'
import { passkeySignInRoutes } from './passkey-sign-in.ts'
import { oidcRoutes } from './oidc.ts'
import { metricsRoutes } from './metrics.ts'
import { notificationRoutes } from './notifications.ts'
import { hostLinkRoute, peopleRoutes } from './people.ts'
import { policyRoutes } from './policy.ts'
import { policyVersionRoutes } from './policy-versions.ts'
import { queueRoutes } from './queues.ts'
import { requestActionRoutes } from './request-actions.ts'
import { requestRoutes } from './requests.ts'
import { retentionRoutes } from './retention.ts'
import { revisionRoutes } from './revisions.ts'
import { runActionRoutes } from './run-actions.ts'
import { runRoutes } from './runs.ts'
import { sessionRoutes } from './sessions.ts'
import { slackRoutes } from './slack.ts'
import { webhookRoutes } from './webhooks.ts'
import { workerRoutes } from './workers.ts'

/** Every operation of the contract, in the order of the document. */
export function allRoutes(settings: ApiSettings): Route[] {
  // Whichever way somebody tries to sign in, an address fails ten times a minute (security.md 21).
  const failures = failureLimit(10, 'failed sign-ins')
  return [
    ...authRoutes(settings, failures),
    ...passkeySignInRoutes(failures),
    ...oidcRoutes(failures),
    ...meRoutes,
    ...notificationRoutes,
    ...sessionRoutes,
    ...runRoutes,
    ...runActionRoutes,
    ...grantRoutes,
    ...queueRoutes,
    ...requestRoutes,
    ...externalRoutes,
    ...decisionRoutes,
    ...revisionRoutes,
    ...requestActionRoutes,
    ...auditRoutes,
    ...auditEvidenceRoutes,
    ...auditLogRoutes,
    ...workerRoutes,
    ...policyRoutes,
    ...policyVersionRoutes,
    ...webhookRoutes,
    ...slackRoutes(),
    ...keyRoutes,
    ...credentialRoutes,
    ...peopleRoutes,
    hostLinkRoute(failures),
    ...erasureRoutes,
    ...eventRoutes,
    ...healthRoutes,
    ...metricsRoutes,
    ...retentionRoutes,
  ]
}
