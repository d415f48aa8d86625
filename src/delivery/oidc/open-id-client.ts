import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import {
  ProviderFailure,
  type FlowSecrets,
  type IdentityProvider,
} from '#services/access/oidc/identity-provider.ts'
import { createRemoteJWKSet, errors, jwtVerify, type JWTVerifyGetKey } from 'jose'
import * as client from 'openid-client'
import type { OidcSettings } from '#policy/settings.ts'

const timeoutSeconds = 10
const keysTimeoutMs = 5000
/** How far the clocks of the provider and of this host may differ. */
const clockToleranceSeconds = 30
/** The provider's metadata, and its keys, are read again after this time. */
const discoveredForMs = 10 * 60_000
/** Keys are read again because of one that is unknown at most this often. */
const keysCooldownMs = 30_000
/**
 * Algorithms that verify with a public key. Anybody could make a token for `none`, or for HMAC with
 * a key that is public.
 */
const tokenAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS512', 'ES256', 'ES384', 'EdDSA']

export interface ClientSettings extends Pick<OidcSettings, 'issuer' | 'clientId' | 'scopes'> {
  /** null: a public client */
  readonly secret: string | null
  /** claims to read from the user-info endpoint when the token lacks them */
  readonly claimNames: readonly string[]
}

/**
 * A client of one provider, with the libraries of OpenID Connect. It calls the provider when
 * somebody signs in.
 */
export class OpenIdClient implements IdentityProvider {
  readonly #settings: ClientSettings
  #discovered: { readonly config: Promise<client.Configuration>; readonly untilMs: number } | null =
    null
  #keys: { readonly url: string; readonly find: JWTVerifyGetKey } | null = null

  constructor(settings: ClientSettings) {
    this.#settings = settings
  }

  async authorizationUrl(secrets: FlowSecrets, redirectUri: string): Promise<URL> {
    this.#requireSecret()
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
    this.#requireSecret()
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
      // The library compares its subject with the token's. Claims of the signed token take
      // precedence.
      const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
      return { ...more, ...claims }
    })
  }

  async verifyAccessToken(
    token: string,
    audiences: readonly string[],
    readTime: () => Promise<Date>,
  ): Promise<Readonly<Record<string, unknown>>> {
    // An error of Postgres is not the provider's.
    const errorsOfTime: unknown[] = []
    const verifying = this.#withConfiguration(async (config) => {
      const findKey = this.#keysAt(config.serverMetadata().jwks_uri)
      let now = new Date()
      // The time is read after the key: callers at one moment then wait for one answer with keys.
      const findKeyAndTime: JWTVerifyGetKey = async (...of) => {
        const key = await findKey(...of)
        now = await readTime().catch((error: unknown) => {
          errorsOfTime.push(error)
          throw error
        })
        return key
      }
      const { payload } = await jwtVerify(token, findKeyAndTime, {
        issuer: this.#settings.issuer,
        audience: [...audiences],
        algorithms: tokenAlgorithms,
        requiredClaims: ['exp', 'sub'],
        get currentDate() {
          return now
        },
        clockTolerance: clockToleranceSeconds,
      })
      // A token that is bound to a key (DPoP, mTLS) needs a proof of that key, which nobody sends.
      if (payload['cnf'] !== undefined) throw new ProviderFailure('token_refused', 'cnf', null)
      return payload
    })
    return verifying.catch((error: unknown) => {
      throw errorsOfTime[0] ?? error
    })
  }

  /** Without the secret the provider accepts no code, so a sign-in there would be useless. */
  #requireSecret(): void {
    if (this.#settings.secret === '') throw new ProviderFailure('secret_missing', 'no_secret', null)
  }

  /** The keys at the address that the provider's metadata names, read when they are needed. */
  #keysAt(url = ''): JWTVerifyGetKey {
    if (!url.startsWith(new URL(this.#settings.issuer).protocol)) {
      throw new ProviderFailure('provider_wrong', 'jwks_uri', null)
    }
    if (this.#keys?.url === url) return this.#keys.find
    const find = createRemoteJWKSet(new URL(url), {
      timeoutDuration: keysTimeoutMs,
      cooldownDuration: keysCooldownMs,
      cacheMaxAge: discoveredForMs,
    })
    this.#keys = { url, find }
    return find
  }

  async endSessionUrl(returnTo: string): Promise<URL | null> {
    return this.#withConfiguration((config) => {
      if (config.serverMetadata().end_session_endpoint === undefined) return null
      const url = client.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo })
      // The page redirects to this address: it must not be one that a browser runs (`javascript:`).
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
   * The provider's metadata, cached for `discoveredForMs`; its issuer must be the configured one. A
   * failed read is not cached.
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
        // Verify the token's signature even though it comes directly from the provider.
        execute: [
          client.enableNonRepudiationChecks,
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    return config
  }
}

/** HTTP Basic if the provider supports it, also if its metadata says nothing. */
function authenticationAt(server: client.ServerMetadata, secret: string | null): client.ClientAuth {
  if (secret === null) return client.None()
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret)
}

/** The library's code for metadata that names another issuer than the configured one. */
const otherIssuer = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'

/** The library's codes for keys that were not answered, or are no keys. */
const keyFailures = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'])

/** Classifies an error of the provider. The provider's own texts are not passed on. */
function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (error instanceof AuthorizationResponseError) {
    return new ProviderFailure('provider_refused', codeOf(error.error), error)
  }
  if (error instanceof ResponseBodyError) {
    const why = error.status >= 500 ? 'provider_down' : 'token_refused'
    return new ProviderFailure(why, codeOf(error.error), error)
  }
  if (error instanceof errors.JOSEError) {
    const isDown = keyFailures.has(error.code)
    return new ProviderFailure(isDown ? 'provider_down' : 'token_refused', error.code, error)
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

/** Passes on protocol codes only; a provider could put any text there. */
function codeOf(code: string): string {
  return /^[\w-]{1,64}$/.test(code) ? code : 'unknown'
}
