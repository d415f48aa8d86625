import type { Request, Response } from 'express'
import { Problem } from '#domain/problem.ts'
import { endSession } from '#services/access/sessions/end-sessions.ts'
import { listSwitchable } from '#services/access/list-switchable.ts'
import {
  signInForDevelopment,
  switchPerson,
} from '#services/access/sign-in/sign-in-for-development.ts'
import { refuseSignIn } from '#services/access/sign-in/refuse-sign-in.ts'
import { consumeSignInLink } from '#services/access/sign-in/sign-in-link.ts'
import type { SignInSurroundings, StartedSession } from '#services/access/sessions/start-session.ts'
import { deviceOf } from '../../identity/device.ts'
import { channelOf } from '../../identity/identity.ts'
import { checkOrigin } from '../../route/check-origin.ts'
import { failureLimit, type FailureLimit } from '../../middleware/failure-limit.ts'
import { openRoute, route, type Answer } from '../../route/route.ts'
import * as schemas from '../../schemas/access/auth.ts'
import { emptyBody } from '../../schemas/common.ts'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../identity/cookies.ts'
import { isBrowser, readProofHash } from '../../identity/session-proof.ts'
import type { Api, ApiSettings } from '../../context/api.ts'
import { meView } from '../../views/access-view.ts'

/** The refusals of a call that starts a session. */
export const signInProblems = ['unauthenticated', 'session_unproven', 'csrf_failed'] as const
const signedIn = { 200: { description: 'Signed in; sets the cookie', schema: schemas.me } }

/** No GET of these signs in or out: a link in a mail only opens a page (security.md 12). */
export function authRoutes(settings: ApiSettings, failures: FailureLimit) {
  const development = settings.developmentToken === null ? [] : [devLogin, devSwitch]
  return [authMethods, ...development, linkRoute(failures), logout]
}

/**
 * With a token it signs in. With an address the answer is always the same and immediate, whether a
 * mail follows or not.
 */
function linkRoute(failures: FailureLimit) {
  const linkRequests = failureLimit(10, 'questions for a link')
  return openRoute({
    method: 'post',
    path: '/v1/auth/link',
    name: 'signInWithLink',
    summary: 'Sign in with a link',
    description: 'Sign in with a one-time link, or request one by mail',
    body: schemas.linkBody,
    answers: {
      ...signedIn,
      202: {
        description: 'A link is sent if a person has this address',
        schema: schemas.linkRequested,
      },
    },
    problems: ['unauthenticated', 'session_unproven', 'csrf_failed', 'not_found', 'conflict'],
    answer: async (api, { body, request, response }) => {
      checkOrigin(request, api.settings.publicUrl)
      if ('email' in body) {
        await linkRequests.fail(request)
        const { signInMails } = api
        if (signInMails === undefined || !(await signInMails.isOffered())) {
          throw new Problem(
            'not_found',
            'This service sends no mail: countersign.yaml has no "email"',
          )
        }
        signInMails.sendLink({ email: body.email, channel: channelOf(request) })
        return { status: 202, body: { asked: true } }
      }
      await failures.check(request)
      try {
        const session = await consumeSignInLink(api.ctx, {
          ...(await surroundings(api, request)),
          token: body.token,
          replaceSession: body.replaceSession === true,
        })
        return await answerSignedIn(api, response, session)
      } catch (error) {
        if (error instanceof Problem) await failures.fail(request)
        throw error
      }
    },
  })
}

const authMethods = openRoute({
  method: 'get',
  path: '/v1/auth/methods',
  name: 'listSignInMethods',
  summary: 'List the ways to sign in',
  description: 'The sign-in methods that the sign-in page offers',
  answers: { 200: { description: 'The ways to sign in', schema: schemas.authMethods } },
  answer: async (api) => {
    const development = api.settings.developmentToken !== null
    const people = development ? await listSwitchable(api.ctx) : []
    const mail = (await api.signInMails?.isOffered()) ?? false
    const settings = (await api.ctx.policies.inForce()).config.signIn.oidc
    const oidc =
      settings === null || api.identityProviderOf === undefined ? null : { label: settings.label }
    const { command } = api.settings
    return { status: 200, body: { development, link: true, mail, oidc, people, command } }
  },
})

const devLogin = openRoute({
  method: 'post',
  path: '/v1/auth/dev-login',
  name: 'signInForDevelopment',
  summary: 'Sign in with the development token',
  description: 'Sign in as a person of the project, with the token in DATA/run/dev-token',
  body: schemas.devLoginBody,
  answers: signedIn,
  problems: signInProblems,
  answer: async (api, { body, request, response }) => {
    checkOrigin(request, api.settings.publicUrl)
    const session = await signInForDevelopment(api.ctx, {
      ...(await surroundings(api, request)),
      ...body,
      expectedToken: requireToken(api),
    })
    return answerSignedIn(api, response, session)
  },
})

const devSwitch = route({
  method: 'post',
  path: '/v1/auth/dev-switch',
  name: 'switchPerson',
  summary: 'Switch to another person',
  description: 'Become another person of the project, in the development profile',
  access: { by: 'person' },
  body: schemas.devSwitchBody,
  answers: signedIn,
  problems: ['not_found'],
  answer: async (api, { body, request, response }) => {
    requireToken(api)
    const session = await switchPerson(api.ctx, {
      ...(await surroundings(api, request)),
      ...body,
    })
    return answerSignedIn(api, response, session)
  },
})

const logout = route({
  method: 'post',
  path: '/v1/auth/logout',
  name: 'signOut',
  summary: 'Sign out',
  description: 'End this session',
  access: { by: 'person' },
  body: emptyBody,
  answers: { 200: { description: 'Signed out; clears the cookie', schema: schemas.signedOut } },
  answer: async (api, { identity, caller, response }) => {
    if (identity.kind === 'session') {
      await endSession(api.ctx, caller, { tokenHash: identity.session.tokenHash })
    }
    clearSessionCookie(response)
    const isOfProvider = identity.kind === 'session' && identity.session.method === 'oidc'
    const providerUrl = isOfProvider ? await providerSignOut(api) : null
    return { status: 200, body: { signedOut: true, providerUrl } }
  },
})

/**
 * The provider's own page for signing out; `null`: it has none, or it cannot be reached, which does
 * not prevent signing out here.
 */
async function providerSignOut(api: Api): Promise<string | null> {
  const settings = (await api.ctx.policies.inForce()).config.signIn.oidc
  if (settings === null || api.identityProviderOf === undefined) return null
  const provider = api.identityProviderOf(settings)
  const url = await provider.endSessionUrl(`${api.settings.publicUrl}/`).catch(() => null)
  return url?.href ?? null
}

/**
 * Where a new session is started from. A browser must send the proof that it repeats with every
 * call: its cookie alone also goes to other ports (security.md 39).
 */
export async function surroundings(api: Api, request: Request): Promise<SignInSurroundings> {
  const proofHash = readProofHash(request)
  if (proofHash === null && isBrowser(request)) {
    const channel = channelOf(request)
    return refuseSignIn(api.ctx, { method: 'browser', why: 'no_proof', channel })
  }
  return {
    proofHash,
    channel: channelOf(request),
    device: deviceOf(request),
    times: api.settings.sessionTimes,
    replacesToken: readSessionCookie(request),
  }
}

/** The routes exist only where the token does; this satisfies the type. */
function requireToken(api: Api): string {
  const token = api.settings.developmentToken
  if (token === null) throw new Problem('not_found', 'There is no development sign-in here')
  return token
}

/** Answers with the signed-in person, as `GET /v1/me` does, and sets the cookie. */
export async function answerSignedIn(
  api: Api,
  response: Response,
  session: StartedSession,
): Promise<Answer> {
  setSessionCookie(response, session.token, session.expiresAt)
  return { status: 200, body: await meView(api, { ...session, signedInBy: session.method }) }
}
