/** The scopes of an API key. None of them permits decisions (api.md, Who is calling). */
export const apiKeyScopes = [
  'runs:write',
  'runs:read',
  'requests:write',
  'requests:read',
  'audit:read',
] as const
export type ApiKeyScope = (typeof apiKeyScopes)[number]
