import { z } from 'zod'
import { maybe, oneOrMany, text, variable } from './parts.ts'

const claim = z.string().regex(/^[!-~]{1,200}$/)

export const oidc = z.strictObject({
  issuer: text.describe('https://…, as the provider writes itself in its discovery document'),
  clientId: text,
  clientSecretFrom: maybe(variable).describe(
    'the environment variable that holds the client secret. Absent: a public client',
  ),
  scopes: maybe(oneOrMany(z.string().regex(/^[!-~]{1,200}$/))).describe(
    'Default: openid, email, profile',
  ),
  label: maybe(text).describe('what the button says. Default: the host of the issuer'),
  emailClaim: maybe(claim).describe('Default: email'),
  requireVerifiedEmail: maybe(z.boolean()).describe(
    'only an address that the provider calls verified (email_verified) makes somebody known. Default: true',
  ),
  groupsClaim: maybe(claim).describe('Default: groups'),
  tokenAudiences: maybe(oneOrMany(claim)).describe(
    'the `aud` of access tokens for the MCP gateway from a provider that does not issue them for its address, such as `api://…`. Default: none',
  ),
  teams: maybe(z.record(z.string().min(1).max(256), oneOrMany(text))).describe(
    'who is in a group of the provider is in these teams, for as long as their last sign-in is recent',
  ),
})

export const signIn = z.strictObject({
  oidc: maybe(oidc).describe(
    'the [provider](signing-in.md#a-sign-in-provider) at which people sign in (OpenID Connect), and which of its groups fill which teams. Default: one-time links',
  ),
})
