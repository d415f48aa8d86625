import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import {
  lockCredential,
  noCredential,
  readCredential,
  type CredentialRecord,
} from './credential-record.ts'

/** Names one's own passkey anew. Rejects with `not_found` for one that is not. Audits `credential.changed`, without the names. */
export async function renameCredential(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string; readonly name: string },
): Promise<CredentialRecord> {
  return inUnitOfWork(ctx, async (unit) => {
    const credential = await lockCredential(unit.tx, input.id)
    const isOwn = caller.actor.type === 'person' && caller.actor.id === credential.person_id
    if (!isOwn) throw noCredential()
    await unit.tx
      .updateTable('credential')
      .set({ name: input.name })
      .where('id', '=', credential.id)
      .execute()
    await unit.audit({
      type: 'credential.changed',
      actor: caller.actor,
      channel: caller.channel,
      detail: {
        change: 'passkey_renamed',
        personId: credential.person_id,
        credentialId: credential.id,
      },
    })
    return readCredential(unit.tx, credential.id)
  })
}
