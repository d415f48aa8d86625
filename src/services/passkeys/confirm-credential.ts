import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { lockCredential, readCredential, type CredentialRecord } from './credential-record.ts'
import { readPublicKey } from './public-key.ts'
import { byRight } from '../core/authority.ts'

/**
 * Confirms, as a second person, that a passkey is its owner's, so that it can sign decisions
 * (audit.md, Approver's signature). Takes the right `managePeople`, as disabling a person does;
 * owners may not confirm their own. Rejects with `forbidden` or `not_found`; confirming again
 * changes nothing. Audits `credential.changed`.
 */
export async function confirmCredential(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<CredentialRecord> {
  const authority = await byRight(ctx, caller, 'managePeople')
  const { actor } = authority
  return inUnitOfWork(ctx, authority, async (unit) => {
    const credential = await lockCredential(unit.tx, input.id)
    if (credential.person_id === actor.id) {
      throw new Problem('forbidden', 'Another person has to confirm your passkey')
    }
    if (credential.confirmed_at === null) {
      const confirmed = await unit.tx
        .updateTable('credential')
        .set({ confirmed_at: sql`clock_timestamp()`, confirmed_by: actor.id })
        .where('id', '=', credential.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      const isOurs = unit.seals.holds('credential', credential)
      await unit.tx
        .updateTable('credential')
        .set({ seal: isOurs ? unit.seals.of('credential', confirmed) : credential.seal })
        .where('id', '=', credential.id)
        .execute()
      await unit.audit({
        type: 'credential.changed',
        detail: {
          change: 'passkey_confirmed',
          personId: credential.person_id,
          credentialId: credential.id,
          publicKeyHash: (await readPublicKey(credential.public_key)).hash,
        },
      })
    }
    return readCredential(unit.tx, credential.id)
  })
}
