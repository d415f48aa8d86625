import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { callbackEndpoint } from '../../requests/ending/notify-program.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { configuredEndpoints } from './configured-endpoints.ts'
import { isOwnCallback, mayReadWebhooks } from './list-deliveries.ts'
import { byRight, bySelf, type Authority } from '../../core/authority.ts'

/**
 * Sends a notification that has ended again, with the same id and body, and with all attempts; an
 * endpoint whose receiver was gone gets later ones again too.
 * Takes the right `activatePolicy`, or for a callback the ownership of its key. Rejects with
 * `forbidden`, `not_found` (also for callers who may not list it), and `conflict` while it waits or
 * when its endpoint is not configured. Audits `webhook.resent`.
 */
export async function resendDelivery(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly deliveryId: string },
): Promise<void> {
  const authority = await bySender(ctx, caller, input.deliveryId)
  const { config } = await ctx.policies.inForce()
  await inUnitOfWork(ctx, authority, async (unit) => {
    const delivery = await unit.tx
      .selectFrom('delivery')
      .select(['endpoint', 'state', 'type', 'request_id'])
      .where('id', '=', input.deliveryId)
      .forUpdate()
      .executeTakeFirst()
    if (delivery === undefined) throw missingDelivery()
    const { endpoint, state, request_id: requestId } = delivery
    if (state === 'pending')
      throw new Problem('conflict', 'This notification is still being delivered')
    const isKnown =
      endpoint === callbackEndpoint ||
      configuredEndpoints(config).some(({ name }) => name === endpoint)
    if (!isKnown) {
      throw new Problem('conflict', `The endpoint ${endpoint} is no longer configured`)
    }
    await unit.tx
      .updateTable('delivery')
      .set({
        state: 'pending',
        attempts: 0,
        next_attempt_at: sql`clock_timestamp()`,
        ended_at: null,
      })
      .where('id', '=', input.deliveryId)
      .execute()
    // Somebody expects that the receiver is there again; another `410` ends it again.
    await unit.tx
      .updateTable('endpoint')
      .set({ gone_address: null })
      .where('name', '=', endpoint)
      .where('gone_address', 'is not', null)
      .execute()
    await unit.audit({
      type: 'webhook.resent',
      detail: { deliveryId: input.deliveryId, endpoint, requestId, previously: state },
    })
    await sql`select pg_notify('countersign_webhook', '')`.execute(unit.tx)
  })
}

/** The owner of a key may resend callbacks to its programs; everything else takes the right. */
async function bySender(
  ctx: ServiceContext,
  caller: Caller,
  deliveryId: string,
): Promise<Authority> {
  const ownCallback = await ctx.db
    .selectFrom('delivery')
    .select('id')
    .where('id', '=', deliveryId)
    .where(isOwnCallback(personBehind(caller)))
    .executeTakeFirst()
  if (ownCallback !== undefined) return bySelf(caller, 'Only people can resend notifications')
  if (!(await mayReadWebhooks(ctx, caller))) throw missingDelivery()
  return byRight(ctx, caller, 'activatePolicy')
}

function missingDelivery(): Problem {
  return new Problem('not_found', 'There is no such delivery')
}
