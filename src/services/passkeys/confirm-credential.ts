import { sql } from 'kysely'
import { linkReachMs } from '../../domain/deciding/decision-signature.ts'
import { Problem } from '../../domain/problem.ts'
import type { Tx } from '../../store/database.ts'
import { requireRight } from '../access/has-right.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { lockCredential, readCredential, type CredentialRecord } from './credential-record.ts'
import { readPublicKey } from './public-key.ts'

/**
 * A second person confirms that a passkey is its owner's, after which it signs decisions (audit.md, Approver's signature).
 * It takes the right `activatePolicy`, as disabling a person does, and is never the owner's own to do, nor that of somebody who
 * could have registered it themselves. Rejects with `forbidden` or `not_found`; confirming again changes nothing. Audits
 * `credential.changed`.
 */
export async function confirmCredential(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<CredentialRecord> {
  await requireRight(ctx, caller, 'activatePolicy')
  const { actor } = caller
  if (actor.type !== 'person') throw new Problem('forbidden', 'Only people confirm passkeys')
  return inUnitOfWork(ctx, async (unit) => {
    const credential = await lockCredential(unit.tx, input.id)
    if (credential.person_id === actor.id) {
      throw new Problem('forbidden', 'Somebody else confirms your passkey: that is its point')
    }
    await refuseLinkMaker(unit.tx, credential.id, actor.id)
    if (credential.confirmed_at === null) {
      await unit.tx
        .updateTable('credential')
        .set({ confirmed_at: sql`clock_timestamp()`, confirmed_by: actor.id })
        .where('id', '=', credential.id)
        .execute()
      await unit.audit({
        type: 'credential.changed',
        actor,
        channel: caller.channel,
        detail: {
          change: 'passkey_confirmed',
          personId: credential.person_id,
          credentialId: credential.id,
          publicKeyHash: readPublicKey(credential.public_key).hash,
        },
      })
    }
    return readCredential(unit.tx, credential.id)
  })
}

/** Whoever made a link that signs in as the owner could be who registered it. Refused with `forbidden`. */
async function refuseLinkMaker(tx: Tx, credentialId: string, personId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from credential
    join audit_event event on event.actor_id = ${personId} and event.type = 'credential.changed'
      and event.at between registered_at - ${linkReachMs} * interval '1 millisecond' and registered_at
    where credential.id = ${credentialId}
      and event.document::jsonb -> 'detail' ->> 'change' = 'link_created'
      and event.document::jsonb -> 'detail' ->> 'personId' = credential.person_id::text
    limit 1
  `.execute(tx)
  if (rows.length === 0) return
  throw new Problem(
    'forbidden',
    'You made a sign-in link for its owner in the week before it was registered, so that you could have registered it: somebody else confirms it',
  )
}
