import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { ProviderFailure } from '../../services/access/oidc/identity-provider.ts'

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
