import { sql } from 'kysely'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import { lockCredential, noCredential } from './credential-record.ts'
import { byOwner, byRightOrNull } from '../core/authority.ts'

/**
 * Removes a passkey at once: it no longer signs in or signs decisions; earlier signatures stay
 * valid. The caller's own, or anybody's with the right `managePeople`. Rejects with `not_found`.
 * Audits `credential.changed`.
 */
export async function removeCredential(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<void> {
  const forOthers = await byRightOrNull(ctx, caller, 'managePeople')
  const judge = async ({ tx }: JudgingContext) => {
    const credential = await lockCredential(tx, input.id)
    const owner = [credential.person_id]
    return { credential, authority: forOthers ?? byOwner(caller, owner, noCredential()) }
  }
  await inUnitOfWork(ctx, judge, async (unit, { credential }) => {
    await unit.tx
      .updateTable('credential')
      .set({ removed_at: sql`clock_timestamp()` })
      .where('id', '=', credential.id)
      .execute()
    unit.revoke('credential', [credential.id])
    await unit.audit({
      type: 'credential.changed',
      detail: {
        change: 'passkey_removed',
        personId: credential.person_id,
        credentialId: credential.id,
      },
    })
  })
}
