import type { ApiKeyScope } from '#domain/api-key-scope.ts'

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

export interface KeyPerson {
  readonly id: string
  readonly name: string
  readonly email: string
}

export interface ApiKeyRecord {
  readonly id: string
  readonly name: string
  readonly owner: KeyPerson
  /** is behind everything that is done with the key; null: its owner made it */
  readonly proposedBy: KeyPerson | null
  readonly scopes: readonly ApiKeyScope[]
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
  /** when it expires; null: never */
  readonly expiresAt: Date | null
  readonly rotatedAt: Date | null
  /** until when the previous secret works too */
  readonly previousUntil: Date | null
}

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
