import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import {
  ProviderFailure,
  type FindIdentityProvider,
  type FlowSecrets,
  type IdentityProvider,
} from '#services/access/oidc/identity-provider.ts'
import * as client from 'openid-client'
import type { OidcSettings } from '#policy/settings.ts'

const timeoutSeconds = 10
/** How far its clock and ours may differ. */
const clockToleranceSeconds = 30
/** Its documents are read again after so long. */
const discoveredForMs = 10 * 60_000

/**
 * Clients of OpenID Connect providers, one a configuration; secrets are read from the environment
 * by their names. Nobody is asked before somebody signs in.
 */
export function openIdProviders(
  environment: Readonly<Record<string, string | undefined>>,
): FindIdentityProvider {
  const providers = new Map<string, OpenIdProvider>()
  return (settings) => {
    const { clientSecretFrom } = settings
    const secret = clientSecretFrom === null ? null : (environment[clientSecretFrom]?.trim() ?? '')
    const { issuer, clientId, scopes } = settings
    const all = { issuer, clientId, scopes, secret, claimNames: claimNamesOf(settings) }
    const name = JSON.stringify(all)
    const provider = providers.get(name) ?? new OpenIdProvider(all)
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

interface ClientSettings extends Pick<OidcSettings, 'issuer' | 'clientId' | 'scopes'> {
  /** null: a public client */
  readonly secret: string | null
  /** claims that are asked for at the user-info endpoint when the token lacks them */
  readonly claimNames: readonly string[]
}

class OpenIdProvider implements IdentityProvider {
  readonly #settings: ClientSettings
  #discovered: { readonly config: Promise<client.Configuration>; readonly untilMs: number } | null =
    null

  constructor(settings: ClientSettings) {
    this.#settings = settings
  }

  async authorizationUrl(secrets: FlowSecrets, redirectUri: string): Promise<URL> {
    return this.#withConfiguration(async (config) =>
      client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: this.#settings.scopes.join(' '),
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
      }),
    )
  }

  async redeem(secrets: FlowSecrets, callbackUrl: URL): Promise<Readonly<Record<string, unknown>>> {
    return this.#withConfiguration(async (config) => {
      const tokens = await client.authorizationCodeGrant(config, callbackUrl, {
        pkceCodeVerifier: secrets.codeVerifier,
        expectedState: secrets.state,
        expectedNonce: secrets.nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new ProviderFailure('token_refused', 'no_id_token', null)
      const isWhole = this.#settings.claimNames.every((name) => Object.hasOwn(claims, name))
      if (isWhole || config.serverMetadata().userinfo_endpoint === undefined) return claims
      // Its subject is compared with the token's; what the signed token says counts more.
      const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
      return { ...more, ...claims }
    })
  }

  async endSessionUrl(returnTo: string): Promise<URL | null> {
    return this.#withConfiguration((config) => {
      if (config.serverMetadata().end_session_endpoint === undefined) return null
      const url = client.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo })
      // A page goes there by itself: never to what a browser would run.
      return url.protocol === new URL(this.#settings.issuer).protocol ? url : null
    })
  }

  async #withConfiguration<T>(ask: (config: client.Configuration) => Promise<T> | T): Promise<T> {
    try {
      return await ask(await this.#configuration())
    } catch (error) {
      throw failureOf(error)
    }
  }

  /**
   * What the provider says of itself, whose issuer must be the configured one; nothing is kept of a
   * failure.
   */
  #configuration(): Promise<client.Configuration> {
    if (this.#discovered !== null && this.#discovered.untilMs > performance.now()) {
      return this.#discovered.config
    }
    const discovered = { config: this.#discover(), untilMs: performance.now() + discoveredForMs }
    this.#discovered = discovered
    discovered.config.catch(() => {
      if (this.#discovered === discovered) this.#discovered = null
    })
    return discovered.config
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, secret } = this.#settings
    const authenticate: client.ClientAuth = (server, ...rest) =>
      authenticationAt(server, secret)(server, ...rest)
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: clockToleranceSeconds },
      authenticate,
      {
        timeout: timeoutSeconds,
        // Its signature is verified even though the token comes straight from the provider.
        execute: [
          client.enableNonRepudiationChecks,
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    return config
  }
}

/** Basic where the provider takes it, which is what it takes when it does not say. */
function authenticationAt(server: client.ServerMetadata, secret: string | null): client.ClientAuth {
  if (secret === null) return client.None()
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret)
}

/** The library's code for a document that is of another issuer than the one that was asked for. */
const otherIssuer = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'

/** What went wrong at the provider, in our words; its own texts go nowhere. */
export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (error instanceof AuthorizationResponseError) {
    return new ProviderFailure('provider_refused', codeOf(error.error), error)
  }
  if (error instanceof ResponseBodyError) {
    const why = error.status >= 500 ? 'provider_down' : 'token_refused'
    return new ProviderFailure(why, codeOf(error.error), error)
  }
  if (error instanceof ClientError) {
    const code = error.code ?? 'unknown'
    if (code === otherIssuer) return new ProviderFailure('provider_wrong', code, error)
    const isDown = /TIMEOUT|ABORT|NOT_CONFORM|PARSE_ERROR/.test(code)
    return new ProviderFailure(isDown ? 'provider_down' : 'token_refused', codeOf(code), error)
  }
  // `fetch` rejects with a TypeError when nobody answers.
  return new ProviderFailure('provider_down', 'no_answer', error)
}

/** Codes are of the protocol; whatever else a provider may put there is not passed on. */
function codeOf(code: string): string {
  return /^[\w-]{1,64}$/.test(code) ? code : 'unknown'
}
