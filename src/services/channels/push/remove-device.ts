import { bySelf, bySystem, service } from '../../core/authority.ts'
import type { Caller, ServiceContext, SystemContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'

/** Which of the caller's devices: by id, by endpoint, or those of a session. */
export type WhichDevices =
  | { readonly id: string }
  | { readonly endpoint: string }
  | { readonly sessionId: string }

/**
 * Stops push messages to devices of the caller, and returns how many devices there were; it is no
 * error if there were none. Rejects with `forbidden` for keys. Audits `credential.changed` for
 * each, with the reason.
 */
export async function removeDevices(
  ctx: ServiceContext,
  caller: Caller,
  which: WhichDevices,
  why: 'removed_by_person' | 'gone',
): Promise<number> {
  const authority = bySelf(caller, 'Only people have devices')
  const personId = authority.actor.id
  return inUnitOfWork(ctx, authority, async (unit) => {
    let query = unit.tx.deleteFrom('push_subscription').where('person_id', '=', personId)
    if ('id' in which) query = query.where('id', '=', which.id)
    else if ('endpoint' in which) query = query.where('endpoint', '=', which.endpoint)
    else query = query.where('session_id', '=', which.sessionId)
    const removed = await query.returning('id').execute()
    unit.revoke(
      'push_subscription',
      removed.map(({ id }) => id),
    )
    await unit.audit(
      ...removed.map(({ id }) => ({
        type: 'credential.changed' as const,
        detail: { personId, change: 'push_removed', deviceId: id, why },
      })),
    )
    return removed.length
  })
}

/** Removes a device that its push service no longer knows. Audits `credential.changed`. */
export async function forgetDevice(
  ctx: SystemContext,
  input: { readonly id: string },
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, service), async (unit) => {
    const device = await unit.tx
      .deleteFrom('push_subscription')
      .where('id', '=', input.id)
      .returning('person_id')
      .executeTakeFirst()
    if (device === undefined) return
    unit.revoke('push_subscription', [input.id])
    const detail = { personId: device.person_id, change: 'push_removed', deviceId: input.id }
    await unit.audit({ type: 'credential.changed', detail: { ...detail, why: 'gone' } })
  })
}
