import type { CredentialRecord } from '../../services/passkeys/credential-record.ts'
import type { CredentialView } from '../schemas/access/credentials.ts'

export function credentialView(record: CredentialRecord): CredentialView {
  const { confirmed } = record
  return {
    id: record.id,
    name: record.name,
    person: { ...record.person },
    publicKeyHash: record.publicKeyHash,
    synced: record.synced,
    registeredAt: record.registeredAt.toISOString(),
    lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
    confirmed:
      confirmed === null ? null : { by: { ...confirmed.by }, at: confirmed.at.toISOString() },
  }
}
