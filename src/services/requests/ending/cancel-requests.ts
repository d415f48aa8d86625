import { sql, type Selectable } from 'kysely'
import type { CancelReason } from '#domain/requests/request.ts'
import { permitTransitions, transition } from '#domain/requests/transitions.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller } from '../../core/context.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { aboutRequest, endRequest } from './end-request.ts'

/**
 * Cancels requests: pending ones leave the queue, approved ones lose their live permits. The caller
 * holds their locks. `facts` are added to each event.
 */
export async function cancelRequests(
  unit: UnitOfWork,
  requests: readonly Selectable<RequestTable>[],
  reason: CancelReason,
  facts: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const request of requests) {
    if (request.state === 'pending') await cancelPending(unit, request, reason, { facts })
  }
  await revokePermits(unit, requests, { why: reason, ...facts })
}

/**
 * Cancels a pending request, with its event. The caller holds the locks of its run and of it. `by`:
 * another actor than the unit's; `facts` are added to the event.
 */
export async function cancelPending(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  reason: CancelReason,
  { by, facts }: { readonly by?: Caller; readonly facts?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  await endRequest(unit, request, { event: 'cancel', reason })
  await unit.audit({
    type: 'request.cancelled',
    ...by,
    ...aboutRequest(request),
    digest: request.digest,
    detail: { cancelReason: reason, ...facts },
  })
}

/** Revokes the live permits of locked requests and records each. */
export async function revokePermits(
  unit: UnitOfWork,
  requests: readonly Selectable<RequestTable>[],
  detail: Readonly<Record<string, string>>,
): Promise<void> {
  if (requests.length === 0) return
  const state = transition(permitTransitions, 'live', 'revoke') ?? 'revoked'
  const revoked = await unit.tx
    .updateTable('permit')
    .set({ state, ended_at: sql<Date>`clock_timestamp()` })
    .where(
      'request_id',
      'in',
      requests.map((request) => request.id),
    )
    .where('state', '=', 'live')
    .returning(['id', 'request_id'])
    .execute()
  unit.revoke(
    'permit',
    revoked.map(({ id }) => id),
  )
  for (const permit of revoked) {
    const request = requests.find((one) => one.id === permit.request_id)
    if (request === undefined) continue
    await unit.audit({
      type: 'permit.revoked',
      ...aboutRequest(request),
      digest: request.digest,
      detail: { permitId: permit.id, ...detail },
    })
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
  }
}
