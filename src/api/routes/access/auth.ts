import type { Request, Response } from 'express'
import { Problem } from '../../../domain/problem.ts'
import { endSession } from '../../../services/access/end-session.ts'
import { listSwitchable } from '../../../services/access/list-switchable.ts'
import {
  signInForDevelopment,
  switchPerson,
} from '../../../services/access/sign-in-for-development.ts'
import { consumeSignInLink } from '../../../services/access/sign-in-link.ts'
import type {
  SignInMethod,
  SignInSurroundings,
  StartedSession,
} from '../../../services/access/start-session.ts'
import { deviceOf } from '../../device.ts'
import { channelOf } from '../../identity.ts'
import { checkOrigin } from '../../middleware/check-origin.ts'
import { failureLimit, type FailureLimit } from '../../middleware/failure-limit.ts'
import { openRoute, route, type Answer, type Route } from '../../route.ts'
import * as schemas from '../../schemas/access/auth.ts'
import { emptyBody } from '../../schemas/common.ts'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../session-cookie.ts'
import type { Api, ApiSettings } from '../../settings.ts'
import { meView } from '../../views/me-view.ts'

const signedIn = { 200: { description: 'Signed in; sets the cookie', schema: schemas.me } }

/** Signing in and out. Nothing here happens on GET: a link in a mail only opens a page (security.md 12). */
export function authRoutes(settings: ApiSettings, failures: FailureLimit): Route[] {
  const development = settings.developmentToken === null ? [] : [devLogin, devSwitch]
  return [authMethods, ...development, linkRoute(failures), logout]
}

/** With a token it signs in; with an address it says the same whoever has it, at once, and mail follows or not. */
function linkRoute(failures: FailureLimit): Route {
  const asked = failureLimit(10, 'questions for a link')
  return openRoute({
    method: 'post',
    path: '/v1/auth/link',
    summary: 'Sign in with a one-time link, or be mailed one',
    body: schemas.linkBody,
    answers: {
      ...signedIn,
      202: {
        description: 'A link is on its way if anybody has the address',
        schema: schemas.linkAsked,
      },
    },
    problems: ['unauthenticated', 'csrf_failed', 'not_found'],
    answer: async (api, { body, request, response }) => {
      checkOrigin(request, api.settings.publicUrl)
      if ('email' in body) {
        await asked.fail(request)
        const { signInMails } = api
        if (signInMails === undefined || !(await signInMails.isOffered())) {
          throw new Problem(
            'not_found',
            'This service sends no mail: countersign.yaml has no "email"',
          )
        }
        signInMails.ask({ email: body.email, channel: channelOf(request) })
        return { status: 202, body: { asked: true } }
      }
      await failures.check(request)
      try {
        const session = await consumeSignInLink(api.ctx, {
          ...surroundings(api, request),
          token: body.token,
        })
        return await answerSignedIn(api, response, session, 'link')
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
  summary: 'What the sign-in page may offer',
  answers: { 200: { description: 'The ways to sign in', schema: schemas.authMethods } },
  answer: async (api) => {
    const development = api.settings.developmentToken !== null
    const people = development ? await listSwitchable(api.ctx) : []
    const mail = (await api.signInMails?.isOffered()) ?? false
    const settings = (await api.ctx.policies.inForce()).config.signIn.oidc
    const oidc =
      settings === null || api.identityProviderOf === undefined ? null : { label: settings.label }
    return { status: 200, body: { development, link: true, mail, oidc, people } }
  },
})

const devLogin = openRoute({
  method: 'post',
  path: '/v1/auth/dev-login',
  summary: 'Sign in as a person of the project, with the token in DATA/run/dev-token',
  body: schemas.devLoginBody,
  answers: signedIn,
  problems: ['unauthenticated', 'csrf_failed'],
  answer: async (api, { body, request, response }) => {
    checkOrigin(request, api.settings.publicUrl)
    const session = await signInForDevelopment(api.ctx, {
      ...surroundings(api, request),
      ...body,
      expectedToken: requireToken(api),
    })
    return answerSignedIn(api, response, session, 'development')
  },
})

const devSwitch = route({
  method: 'post',
  path: '/v1/auth/dev-switch',
  summary: 'Become another person of the project, in the development profile',
  access: { by: 'person' },
  body: schemas.devSwitchBody,
  answers: signedIn,
  problems: ['not_found'],
  answer: async (api, { body, request, response }) => {
    requireToken(api)
    const session = await switchPerson(api.ctx, { ...surroundings(api, request), ...body })
    return answerSignedIn(api, response, session, 'development')
  },
})

const logout = route({
  method: 'post',
  path: '/v1/auth/logout',
  summary: 'End this session',
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

/** Where the provider signs people out. Whatever is the matter with it, who signs out here is out. */
async function providerSignOut(api: Api): Promise<string | null> {
  const settings = (await api.ctx.policies.inForce()).config.signIn.oidc
  if (settings === null || api.identityProviderOf === undefined) return null
  const provider = api.identityProviderOf(settings)
  const url = await provider.endSessionUrl(`${api.settings.publicUrl}/`).catch(() => null)
  return url?.href ?? null
}

/** What a new session is told of where it is started from. */
export function surroundings(api: Api, request: Request): SignInSurroundings {
  return {
    channel: channelOf(request),
    device: deviceOf(request),
    times: api.settings.sessionTimes,
    replacesToken: readSessionCookie(request),
  }
}

/** The routes exist only where the token does; this is for the type. */
function requireToken(api: Api): string {
  const token = api.settings.developmentToken
  if (token === null) throw new Problem('not_found', 'There is no development sign-in here')
  return token
}

/** Answers with who one is by now, and sets the cookie. */
export async function answerSignedIn(
  api: Api,
  response: Response,
  session: StartedSession,
  signedInBy: SignInMethod,
): Promise<Answer> {
  setSessionCookie(response, session.token, session.expiresAt)
  return { status: 200, body: await meView(api, { ...session, signedInBy }) }
}
