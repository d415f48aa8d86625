import type { SignInRefusal } from '#domain/sign-in-refusal.ts'
import type { OidcSettings } from '#policy/settings.ts'

/** What binds an answer of the provider to the sign-in that caused it. */
export interface FlowSecrets {
  readonly state: string
  readonly nonce: string
  /** of PKCE, S256 */
  readonly codeVerifier: string
}

/** A client of an OpenID Connect provider. Every method rejects with `ProviderFailure`. */
export interface IdentityProvider {
  /** the address at which the browser signs in */
  authorizationUrl(secrets: FlowSecrets, redirectUri: string): Promise<URL>
  /**
   * Trades the code in the address for claims whose issuer, audience, nonce, times and signature
   * were verified.
   */
  redeem(secrets: FlowSecrets, callbackUrl: URL): Promise<Readonly<Record<string, unknown>>>
  /**
   * The claims of an access token that is a JWT of the provider, issued for one of these resources:
   * issuer, audience, signature and, by the clock that `readTime` reads, times are verified.
   */
  verifyAccessToken(
    token: string,
    audiences: readonly string[],
    readTime: () => Promise<Date>,
  ): Promise<Readonly<Record<string, unknown>>>
  /** where the browser signs out at the provider too; null when the provider offers no such page */
  endSessionUrl(returnTo: string): Promise<URL | null>
}

/** Makes the client of a configured provider, without a request to it. */
export type FindIdentityProvider = (settings: OidcSettings) => IdentityProvider

/** The provider is down, is another one, refuses, or its answer cannot be verified. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly why: SignInRefusal
  /** code of the protocol or the library, for the trail; never text of the provider */
  readonly code: string

  constructor(why: SignInRefusal, code: string, cause: unknown) {
    super(`${why}: ${code}`, { cause })
    this.why = why
    this.code = code
  }
}
