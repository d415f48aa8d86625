import type { OidcSettings } from '#policy/settings.ts'
import type {
  FindIdentityProvider,
  IdentityProvider,
} from '#services/access/oidc/identity-provider.ts'
import type { ClientSettings, OpenIdClient } from './open-id-client.ts'

/**
 * Returns the client of an OpenID Connect provider, one for each configuration. Secrets are read
 * from the environment by name. No provider is called before somebody signs in.
 */
export function openIdProviders(
  environment: Readonly<Record<string, string | undefined>>,
): FindIdentityProvider {
  const providers = new Map<string, IdentityProvider>()
  return (settings) => {
    const { clientSecretFrom } = settings
    const secret = clientSecretFrom === null ? null : (environment[clientSecretFrom]?.trim() ?? '')
    const { issuer, clientId, scopes } = settings
    const all = { issuer, clientId, scopes, secret, claimNames: claimNamesOf(settings) }
    const name = JSON.stringify(all)
    const provider = providers.get(name) ?? providerOf(all)
    providers.set(name, provider)
    return provider
  }
}

function claimNamesOf(settings: OidcSettings): readonly string[] {
  const { emailClaim, groupsClaim, requireVerifiedEmail, teams } = settings
  return [
    emailClaim,
    ...(requireVerifiedEmail ? ['email_verified'] : []),
    ...(teams.size > 0 ? [groupsClaim] : []),
  ]
}

/** The libraries are loaded at the first need: an API without OpenID Connect never loads them. */
function providerOf(settings: ClientSettings): IdentityProvider {
  let client: OpenIdClient | null = null
  const load = async (): Promise<OpenIdClient> => {
    const { OpenIdClient } = await import('./open-id-client.ts')
    // Callers that waited together get one client, which reads the provider's metadata once.
    client ??= new OpenIdClient(settings)
    return client
  }
  return {
    authorizationUrl: async (...input) => (await load()).authorizationUrl(...input),
    redeem: async (...input) => (await load()).redeem(...input),
    verifyAccessToken: async (...input) => (await load()).verifyAccessToken(...input),
    endSessionUrl: async (...input) => (await load()).endSessionUrl(...input),
  }
}
