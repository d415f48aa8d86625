import type { ApiKeyView } from '#api/schemas/access/keys.ts'
import type { ApiKeyScope } from '#domain/api-key-scope.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** The scopes that a key, or a client of the sign-in provider, needs for the MCP gateway. */
export const gatewayScopes = [
  'requests:write',
  'requests:read',
] as const satisfies readonly ApiKeyScope[]

/**
 * Stored in place of a secret's hash for the key of a client of the sign-in provider, which sends
 * tokens of the provider. No secret has this hash.
 */
export function noSecretOf(keyId: string): string {
  return `none: ${keyId}`
}

export type ApiKeyRecord = RecordOf<ApiKeyView>
export type KeyPerson = ApiKeyRecord['owner']

/** A key that somebody proposed to its owner, who alone can claim it and see it. */
export interface KeyProposal extends Pick<
  ApiKeyRecord,
  'id' | 'name' | 'owner' | 'scopes' | 'createdAt'
> {
  readonly proposedBy: KeyPerson
  /** when the key will expire; null: never */
  readonly keyExpiresAt: Date | null
  /** until when it can be claimed */
  readonly expiresAt: Date
}
