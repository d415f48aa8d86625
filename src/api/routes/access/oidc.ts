import { Problem } from '#domain/problem.ts'
import type { Policy } from '#policy/policy.ts'
import type { OidcSettings } from '#policy/settings.ts'
import { beginProviderSignIn } from '#services/access/oidc/begin-provider-sign-in.ts'
import { ProviderFailure, type IdentityProvider } from '#services/access/oidc/identity-provider.ts'
import { signInWithProvider } from '#services/access/oidc/sign-in-with-provider.ts'
import { refuseSignIn } from '#services/access/sign-in/refuse-sign-in.ts'
import {
  clearFlowCookie,
  readFlowCookie,
  setFlowCookie,
  readSessionCookie,
  setSessionCookie,
} from '../../identity/cookies.ts'
import { deviceOf } from '../../identity/device.ts'
import { channelOf } from '../../identity/identity.ts'
import { failureLimit, type SignInLimits } from '../../middleware/failure-limit.ts'
import { openRoute, type Answer } from '../../route/route.ts'
import * as schemas from '../../schemas/access/auth.ts'
import { isNavigation } from '../../identity/session-proof.ts'
import type { Api } from '../../context/api.ts'

const callbackPath = '/v1/auth/oidc/callback'

/**
 * Signing in at the provider that countersign.yaml names. Both routes are GET, since browsers are
 * sent there: the first decides nothing, the second only what was begun in the same browser.
 */
export function oidcRoutes(limits: SignInLimits) {
  return [startRoute(limits), callbackRoute(limits)]
}

function startRoute({ failures, starts }: SignInLimits) {
  // The caller is not at fault, but every failure writes a row.
  const outages = failureLimit(10, 'sign-ins while the provider is down')
  return openRoute({
    method: 'get',
    path: '/v1/auth/oidc/start',
    name: 'startProviderSignIn',
    summary: 'Start a sign-in at a provider',
    description: 'Go to the sign-in provider',
    query: schemas.oidcStartQuery,
    answers: { 302: { description: 'To the provider, or back to the sign-in page' } },
    problems: ['not_found'],
    answer: async (api, { query, request }) => {
      onlyGet(request.method)
      const proofHash = query.proof ?? null
      if (proofHash === null && isNavigation(request)) {
        return (response) => response.redirect(302, '/sign-in')
      }
      await failures.check(request)
      await outages.check(request)
      await starts.fail(request)
      const { provider } = await readConfigured(api)
      try {
        const { url, browser } = await beginProviderSignIn(api.ctx, {
          provider,
          redirectUri: api.settings.publicUrl + callbackPath,
          returnTo: localPath(query.return, api.settings.publicUrl),
          proofHash,
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
  })
}

function callbackRoute({ failures }: SignInLimits) {
  return openRoute({
    method: 'get',
    path: callbackPath,
    name: 'finishProviderSignIn',
    summary: 'Finish a sign-in at a provider',
    description: 'The address to which the sign-in provider redirects',
    query: schemas.oidcCallbackQuery,
    answers: {
      302: {
        description:
          'Redirects into the dashboard, or to the sign-in page with the reason for the refusal',
      },
    },
    problems: ['not_found', 'conflict'],
    answer: async (api, { request }) => {
      onlyGet(request.method)
      await failures.check(request)
      const { policy, settings, provider } = await readConfigured(api)
      const signedIn = signInWithProvider(api.ctx, {
        channel: channelOf(request),
        device: deviceOf(request),
        times: api.settings.sessionTimes,
        replacesToken: readSessionCookie(request),
        proofHash: null,
        isBrowser: isNavigation(request),
        policy,
        settings,
        provider,
        callbackUrl: new URL(request.originalUrl, api.settings.publicUrl),
        browser: readFlowCookie(request),
      })
      try {
        const { session, handIn, returnTo } = await signedIn
        return (response) => {
          clearFlowCookie(response)
          if (session === null) return response.redirect(302, providerPage(handIn, returnTo))
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
  })
}

/**
 * The page to which a browser posts the token that it got after the provider's answer. The token is
 * behind `#`, so that no address contains it.
 */
function providerPage(handIn: string, returnTo: string): string {
  const behind = new URLSearchParams({ provider: handIn, return: returnTo })
  return `/sign-in#${behind.toString()}`
}

/**
 * Refuses HEAD, which routes of GET also answer: a look at the address must neither begin nor
 * finish a sign-in.
 */
function onlyGet(method: string): void {
  if (method !== 'GET') throw new Problem('method_not_allowed', 'A sign-in starts with GET')
}

async function readConfigured(api: Api): Promise<{
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

/** A refusal as a page: the sign-in page shows the sentence of its problem. */
async function refusedPage(signIn: Promise<unknown>): Promise<Answer> {
  const why = await signIn.then(
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

/**
 * The path of the page that follows the sign-in, or `/` if the path could lead elsewhere: `//host`,
 * `/\host`, an address, or a route of the API.
 */
export function localPath(path: string | undefined, publicUrl: string): string {
  if (path === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path)) return '/'
  const url = URL.canParse(path, publicUrl) ? new URL(path, publicUrl) : null
  const isOurs = url !== null && url.origin === new URL(publicUrl).origin
  // `/.//host` becomes the path `//host`, which a browser reads as the address of another host.
  return isOurs && !/^\/(?:\/|v1\/)/.test(url.pathname) ? url.pathname + url.search : '/'
}
