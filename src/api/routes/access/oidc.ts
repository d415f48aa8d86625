import { Problem } from '../../../domain/problem.ts'
import type { Policy } from '../../../policy/policy.ts'
import type { OidcSettings } from '../../../policy/settings.ts'
import { beginProviderSignIn } from '../../../services/access/oidc/begin-provider-sign-in.ts'
import {
  ProviderFailure,
  type IdentityProvider,
} from '../../../services/access/oidc/identity-provider.ts'
import { signInWithProvider } from '../../../services/access/oidc/sign-in-with-provider.ts'
import { refuseSignIn } from '../../../services/access/refuse-sign-in.ts'
import { clearFlowCookie, readFlowCookie, setFlowCookie } from '../../flow-cookie.ts'
import { channelOf } from '../../identity.ts'
import { localPath } from '../../local-path.ts'
import { failureLimit, type FailureLimit } from '../../middleware/failure-limit.ts'
import { openRoute, type Answer, type Route } from '../../route.ts'
import * as schemas from '../../schemas/access/auth.ts'
import { setSessionCookie } from '../../session-cookie.ts'
import type { Api } from '../../settings.ts'
import { surroundings } from './auth.ts'

const callbackPath = '/v1/auth/oidc/callback'

/**
 * Signing in at the provider that countersign.yaml names. Both routes are GET, since browsers are sent there: the first
 * decides nothing, the second only what was begun in the same browser.
 */
export function oidcRoutes(failures: FailureLimit): Route[] {
  // Whoever asks is not to blame, but each is recorded.
  const outages = failureLimit(10, 'sign-ins while the provider is down')
  return [
    openRoute({
      method: 'get',
      path: '/v1/auth/oidc/start',
      summary: 'Go to the sign-in provider',
      query: schemas.oidcStartQuery,
      answers: { 302: { description: 'To the provider, or back to the sign-in page' } },
      problems: ['not_found'],
      answer: async (api, { query, request }) => {
        onlyGet(request.method)
        await failures.check(request)
        await outages.check(request)
        const { provider } = await configured(api)
        try {
          const { url, browser } = await beginProviderSignIn(api.ctx, {
            provider,
            redirectUri: api.settings.publicUrl + callbackPath,
            returnTo: localPath(query.return, api.settings.publicUrl),
          })
          return (response) => {
            setFlowCookie(response, browser)
            response.redirect(302, url.href)
          }
        } catch (error) {
          if (!(error instanceof ProviderFailure)) throw error
          await outages.fail(request)
          const { why, code } = error
          const channel = channelOf(request)
          return refusedPage(refuseSignIn(api.ctx, { method: 'oidc', why, code, channel }))
        }
      },
    }),
    openRoute({
      method: 'get',
      path: callbackPath,
      summary: 'Come back from the sign-in provider',
      query: schemas.oidcCallbackQuery,
      answers: { 302: { description: 'Signed in; or to the sign-in page, which says why not' } },
      problems: ['not_found', 'conflict'],
      answer: async (api, { request }) => {
        onlyGet(request.method)
        await failures.check(request)
        const { policy, settings, provider } = await configured(api)
        const signedIn = signInWithProvider(api.ctx, {
          ...surroundings(api, request),
          policy,
          settings,
          provider,
          callbackUrl: new URL(request.originalUrl, api.settings.publicUrl),
          browser: readFlowCookie(request),
        })
        try {
          const { session, returnTo } = await signedIn
          return (response) => {
            clearFlowCookie(response)
            setSessionCookie(response, session.token, session.expiresAt)
            response.redirect(302, returnTo)
          }
        } catch (error) {
          if (error instanceof Problem && error.code === 'unauthenticated') {
            await failures.fail(request)
          }
          return refusedPage(signedIn)
        }
      },
    }),
  ]
}

/** Somebody's look at an address is no sign-in. */
function onlyGet(method: string): void {
  if (method !== 'GET') throw new Problem('method_not_allowed', 'Signing in is GET')
}

async function configured(api: Api): Promise<{
  readonly policy: Policy
  readonly settings: OidcSettings
  readonly provider: IdentityProvider
}> {
  const policy = await api.ctx.policies.inForce()
  const settings = policy.config.signIn.oidc
  if (settings === null || api.identityProviderOf === undefined) {
    throw new Problem('not_found', 'countersign.yaml names no sign-in provider')
  }
  return { policy, settings, provider: api.identityProviderOf(settings) }
}

/** A refusal as a page: the sign-in page says the sentence that belongs to `refused`. */
async function refusedPage(refused: Promise<unknown>): Promise<Answer> {
  const why = await refused.then(
    () => '',
    (error: unknown) => {
      const why = error instanceof Problem && error.facts['why']
      if (typeof why === 'string') return why
      throw error
    },
  )
  return (response) => {
    clearFlowCookie(response)
    response.redirect(302, `/sign-in?refused=${why}`)
  }
}
