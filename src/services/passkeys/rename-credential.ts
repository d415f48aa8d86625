import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import {
  lockCredential,
  noCredential,
  readCredential,
  type CredentialRecord,
} from './credential-record.ts'
import { byOwner } from '../core/authority.ts'

/**
 * Renames a passkey of the caller. Rejects with `not_found` for somebody else's. Audits
 * `credential.changed`, without the names.
 */
export async function renameCredential(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string; readonly name: string },
): Promise<CredentialRecord> {
  const judge = async ({ tx }: JudgingContext) => {
    const credential = await lockCredential(tx, input.id)
    return { credential, authority: byOwner(caller, [credential.person_id], noCredential()) }
  }
  return inUnitOfWork(ctx, judge, async (unit, { credential }) => {
    await unit.tx
      .updateTable('credential')
      .set({ name: input.name })
      .where('id', '=', credential.id)
      .execute()
    await unit.audit({
      type: 'credential.changed',
      detail: {
        change: 'passkey_renamed',
        personId: credential.person_id,
        credentialId: credential.id,
      },
    })
    return readCredential(unit.tx, credential.id)
  })
}
