import { z } from 'zod'
import { disablePerson } from '../../../services/access/disable-person.ts'
import { requireRight } from '../../../services/access/has-right.ts'
import { listPeople } from '../../../services/access/list-people.ts'
import { refuseSignIn } from '../../../services/access/refuse-sign-in.ts'
import { unlinkIdentity } from '../../../services/access/oidc/unlink-identity.ts'
import { createSignInLink } from '../../../services/access/sign-in-link.ts'
import { signInUrl } from '../../../services/access/sign-in-url.ts'
import { sameSecret } from '../../../services/access/token.ts'
import type { Caller } from '../../../services/context.ts'
import { channelOf } from '../../identity.ts'
import { checkOrigin } from '../../middleware/check-origin.ts'
import type { FailureLimit } from '../../middleware/failure-limit.ts'
import { openRoute, route, type Route } from '../../route.ts'
import * as schemas from '../../schemas/access/auth.ts'
import { email, emptyBody, pageQuery } from '../../schemas/common.ts'
import type { Api } from '../../settings.ts'
import { personView } from '../../views/person-view.ts'
import { withoutUndefined } from '../../without-undefined.ts'

const personParams = z.object({ email })

export const peopleRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/people',
    summary: 'Everybody the project names or has named',
    access: { by: 'person' },
    query: pageQuery,
    answers: { 200: { description: 'A page of people, by address', schema: schemas.peopleList } },
    answer: async (api, { query, caller }) => {
      const page = await listPeople(api.ctx, caller, withoutUndefined(query))
      const items = page.items.map(personView)
      return { status: 200, body: { items, nextCursor: page.nextCursor } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/people/:email/link',
    summary:
      'Make a one-time sign-in link for oneself, or with the right activatePolicy for others',
    access: { by: 'person' },
    params: personParams,
    body: emptyBody,
    answers: { 201: { description: 'The link, shown this once', schema: schemas.signInLink } },
    answer: async (api, { params, caller, identity }) => {
      const isOwn = identity.kind === 'session' && identity.session.person.email === params.email
      if (!isOwn) await requireRight(api.ctx, caller, 'activatePolicy')
      return { status: 201, body: await makeLink(api, caller, params.email) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/people/:email/disable',
    summary: 'Disable a person and end their sessions and keys (right activatePolicy)',
    access: { by: 'person' },
    params: personParams,
    body: emptyBody,
    answers: { 200: { description: 'Disabled', schema: schemas.disabled } },
    answer: async (api, { params, caller }) => {
      await disablePerson(api.ctx, caller, params)
      return { status: 200, body: { disabled: true } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/people/:email/unlink',
    summary: 'Forget which account of a sign-in provider is theirs (right activatePolicy)',
    access: { by: 'person' },
    params: personParams,
    body: emptyBody,
    answers: { 200: { description: 'Forgotten', schema: schemas.unlinked } },
    problems: ['not_found'],
    answer: async (api, { params, caller }) => {
      await unlinkIdentity(api.ctx, caller, params)
      return { status: 200, body: { unlinked: true } }
    },
  }),
]

/** Links made on the host itself; failures count like failed sign-ins. */
export function hostLinkRoute(failures: FailureLimit): Route {
  return openRoute({
    method: 'post',
    path: '/v1/auth/host-link',
    summary: 'Make a one-time sign-in link, with the token in DATA/run/host-token',
    body: schemas.hostLinkBody,
    answers: { 201: { description: 'The link, shown this once', schema: schemas.signInLink } },
    problems: ['unauthenticated', 'csrf_failed', 'not_found'],
    answer: async (api, { body, request }) => {
      checkOrigin(request, api.settings.publicUrl)
      await failures.check(request)
      const { hostToken } = api.settings
      if (hostToken === undefined || !sameSecret(body.token, hostToken)) {
        await failures.fail(request)
        const channel = channelOf(request)
        return refuseSignIn(api.ctx, { method: 'host', why: 'wrong_token', channel })
      }
      const host = { actor: { type: 'system', name: 'host' }, channel: channelOf(request) } as const
      return { status: 201, body: await makeLink(api, host, body.email) }
    },
  })
}

async function makeLink(
  api: Api,
  caller: Caller,
  email: string,
): Promise<{ url: string; expiresAt: string }> {
  const link = await createSignInLink(api.ctx, caller, { email })
  return {
    url: signInUrl(api.settings.publicUrl, link.token),
    expiresAt: link.expiresAt.toISOString(),
  }
}
