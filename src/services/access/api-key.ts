/** What a key may be made for. None of them decides (api.md, Who is calling). */
export const apiKeyScopes = [
  'runs:write',
  'runs:read',
  'requests:write',
  'requests:read',
  'audit:read',
] as const
export type ApiKeyScope = (typeof apiKeyScopes)[number]

export interface ApiKeyRecord {
  readonly id: string
  readonly name: string
  readonly owner: { readonly id: string; readonly name: string; readonly email: string }
  readonly scopes: readonly ApiKeyScope[]
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
  readonly expiresAt: Date | null
  readonly rotatedAt: Date | null
  /** until when the secret before works too */
  readonly previousUntil: Date | null
}
