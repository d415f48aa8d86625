import { sql } from 'kysely'
import { hasRight } from '../access/has-right.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { lockCredential, noCredential } from './credential-record.ts'

/**
 * Takes a passkey out of use at once: it neither signs in nor signs decisions any more; what it signed stays signed. One's own, or
 * anybody's with the right `activatePolicy`. Rejects with `not_found`. Audits `credential.changed`.
 */
export async function removeCredential(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<void> {
  const mayForOthers = await hasRight(ctx, caller.actor, 'activatePolicy')
  await inUnitOfWork(ctx, async (unit) => {
    const credential = await lockCredential(unit.tx, input.id)
    const isOwn = caller.actor.type === 'person' && caller.actor.id === credential.person_id
    if (!isOwn && !mayForOthers) throw noCredential()
    await unit.tx
      .updateTable('credential')
      .set({ removed_at: sql`clock_timestamp()` })
      .where('id', '=', credential.id)
      .execute()
    await unit.audit({
      type: 'credential.changed',
      actor: caller.actor,
      channel: caller.channel,
      detail: {
        change: 'passkey_removed',
        personId: credential.person_id,
        credentialId: credential.id,
      },
    })
  })
}
