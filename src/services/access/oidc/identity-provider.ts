import type { SignInRefusal } from '#domain/sign-in-refusal.ts'
import type { OidcSettings } from '#policy/settings.ts'

/** What binds an answer of the provider to the sign-in that asked for it. */
export interface FlowSecrets {
  readonly state: string
  readonly nonce: string
  /** of PKCE, S256 */
  readonly codeVerifier: string
}

/**
 * An OpenID Connect provider, spoken to by its own client. Every method rejects with
 * `ProviderFailure`.
 */
export interface IdentityProvider {
  /** where the browser goes to sign in */
  authorizationUrl(secrets: FlowSecrets, redirectUri: string): Promise<URL>
  /**
   * Trades the code in the address for claims whose issuer, audience, nonce, times and signature
   * were verified.
   */
  redeem(secrets: FlowSecrets, callbackUrl: URL): Promise<Readonly<Record<string, unknown>>>
  /**
   * The claims of an access token that is a JWT of the provider, issued for one of these resources:
   * issuer, audience, times and signature are verified.
   */
  verifyAccessToken(
    token: string,
    audiences: readonly string[],
  ): Promise<Readonly<Record<string, unknown>>>
  /** where the browser goes to sign out there too; null when the provider offers none */
  endSessionUrl(returnTo: string): Promise<URL | null>
}

/** The provider that a configuration names. Asks nobody yet. */
export type FindIdentityProvider = (settings: OidcSettings) => IdentityProvider

/** The provider is down, is not who it should be, refuses, or sent what could not be verified. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly why: SignInRefusal
  /** the protocol's or library's own code, for the trail: never text of the provider's */
  readonly code: string

  constructor(why: SignInRefusal, code: string, cause: unknown) {
    super(`${why}: ${code}`, { cause })
    this.why = why
    this.code = code
  }
}
