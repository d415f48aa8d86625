import { newId } from '#domain/new-id.ts'
import { Problem } from '#domain/problem.ts'
import { bySelf } from '../../core/authority.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { checkPushKeys, type PushDevice, type PushTarget } from './push-subscription.ts'

/** Devices of one person, in all of their sessions. */
const maxDevices = 20

/**
 * Sends the caller's push messages to the browser of their session until the session ends. A
 * subscription with the same endpoint is replaced. The route has checked the endpoint's address,
 * and each delivery checks it again. Rejects with `forbidden` for keys, `invalid_request` for
 * unusable keys and `conflict` over 20 devices. Audits `credential.changed`.
 */
export async function subscribeDevice(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly sessionId: string; readonly target: PushTarget },
): Promise<PushDevice> {
  const authority = bySelf(caller, 'Only people have devices')
  const { sessionId, target } = input
  checkPushKeys(target)
  const personId = authority.actor.id
  return inUnitOfWork(ctx, authority, async (unit) => {
    const session = await unit.tx
      .selectFrom('session')
      .select(['id', 'device'])
      .where('id', '=', sessionId)
      .where('person_id', '=', personId)
      .forUpdate()
      .executeTakeFirst()
    if (session === undefined) throw new Problem('unauthenticated', 'The session has ended')
    const replaced = await removeEqual(unit, personId, target)
    await checkCount(unit, personId)
    const device = {
      id: newId(),
      person_id: personId,
      session_id: session.id,
      endpoint: target.endpoint,
      p256dh: target.keys.p256dh,
      auth: target.keys.auth,
    }
    const row = await unit.tx
      .insertInto('push_subscription')
      .values({ ...device, seal: unit.seals.of('push_subscription', device) })
      .returning('created_at')
      .executeTakeFirstOrThrow()
    await unit.audit(
      ...replaced.map((deviceId) => ({
        type: 'credential.changed' as const,
        detail: { personId, change: 'push_removed', deviceId, why: 'replaced' },
      })),
      {
        type: 'credential.changed',
        detail: { personId, change: 'push_subscribed', deviceId: device.id, sessionId },
      },
    )
    return {
      id: device.id,
      endpoint: device.endpoint,
      device: session.device,
      sessionId,
      createdAt: row.created_at,
    }
  })
}

/** Removes and revokes the person's subscriptions with the same endpoint. Returns their ids. */
async function removeEqual(
  unit: UnitOfWork,
  personId: string,
  { endpoint }: PushTarget,
): Promise<readonly string[]> {
  const rows = await unit.tx
    .deleteFrom('push_subscription')
    .where('person_id', '=', personId)
    .where('endpoint', '=', endpoint)
    .returning('id')
    .execute()
  const ids = rows.map(({ id }) => id)
  unit.revoke('push_subscription', ids)
  return ids
}

/** Rejects with `conflict` if the person has as many devices as they may have. */
async function checkCount({ tx }: UnitOfWork, personId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('push_subscription')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  if (Number(count) < maxDevices) return
  const detail = `You have ${maxDevices} devices already: remove one that you no longer use`
  throw new Problem('conflict', detail)
}
