import type { Selectable } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import { stepsDue } from '#domain/deciding/waiting-steps.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { wakeWaiting } from './wake-waiting.ts'
import { aboutRequest, endRequest } from './end-request.ts'
import { timer } from '../../core/authority.ts'

/**
 * Expires a pending request whose deadline has passed by the database's clock. This is an outcome
 * of its own, neither denial nor approval (product.md 12). The caller holds the run's and the
 * request's lock and has compared the clock.
 */
export async function expireLocked(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
): Promise<void> {
  await endRequest(unit, request, { event: 'expire' })
  await unit.audit({
    type: 'request.expired',
    ...timer,
    ...aboutRequest(request),
    digest: request.digest,
    detail: {
      revision: request.revision,
      expiresAt: request.expires_at.toISOString(),
      ...missedSteps(request),
    },
  })
  await wakeWaiting(unit, request, [request.id])
}

/** The steps that did not happen before it expired because no process ran then. */
function missedSteps(request: Selectable<RequestTable>): JsonObject {
  const openMs = request.expires_at.getTime() - request.created_at.getTime()
  const taken = request.steps_taken?.length ?? 0
  const missed = stepsDue(request.routing.steps ?? [], taken, openMs)
  return missed.length === 0
    ? {}
    : { missed: missed.map(({ kind, afterMs }) => ({ kind, afterMs })) }
}
