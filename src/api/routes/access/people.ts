import { z } from 'zod'
import { disablePerson } from '#services/access/disable-person.ts'
import { listPeople } from '#services/access/list-people.ts'
import { refuseSignIn } from '#services/access/sign-in/refuse-sign-in.ts'
import { unlinkIdentity } from '#services/access/oidc/unlink-identity.ts'
import {
  createSignInLink,
  type NewSignInLink,
  refuseOthersLink,
} from '#services/access/sign-in/sign-in-link.ts'
import { signInUrl } from '#services/access/sign-in/sign-in-url.ts'
import { sameSecret } from '#services/access/token.ts'
import type { Caller } from '#services/core/context.ts'
import { channelOf } from '../../identity/identity.ts'
import { checkOrigin } from '../../route/check-origin.ts'
import type { FailureLimit } from '../../middleware/failure-limit.ts'
import { openRoute, route } from '../../route/route.ts'
import * as schemas from '../../schemas/access/auth.ts'
import { email, emptyBody, id, pageQuery } from '../../schemas/common.ts'
import type { Api } from '../../context/api.ts'
import { answerOf } from '../../views/answer-of.ts'

const personParams = z.object({ email: email.describe('E-mail address of a person') })

export const peopleRoutes = [
  route({
    method: 'get',
    path: '/v1/people',
    name: 'listPeople',
    summary: 'List people',
    description: 'Everybody whom the project names or once named; with `id` only that person',
    access: { by: 'person' },
    query: pageQuery.extend({ id: id.optional() }),
    answers: { 200: { description: 'A page of people, by address', schema: schemas.peopleList } },
    answer: async (api, { query, caller }) => {
      const page = await listPeople(api.ctx, caller, query)
      return { status: 200, body: answerOf(page) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/people/:email/link',
    name: 'createSignInLink',
    summary: 'Create a sign-in link',
    description: 'Create a one-time sign-in link for the caller',
    access: { by: 'person' },
    params: personParams,
    body: emptyBody,
    answers: {
      201: { description: 'The link, which is returned only here', schema: schemas.signInLink },
    },
    answer: async (api, { params, caller, identity }) => {
      const isOwn = identity.kind === 'session' && identity.session.person.email === params.email
      if (!isOwn) return refuseOthersLink(api.ctx, caller)
      const input = { email: params.email, sessionId: identity.session.id }
      return { status: 201, body: await makeLink(api, caller, input) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/people/:email/disable',
    name: 'disablePerson',
    summary: 'Disable a person',
    description: 'Disable a person and end their sessions and keys (right managePeople)',
    access: { by: 'person' },
    params: personParams,
    body: emptyBody,
    answers: { 200: { description: 'Disabled', schema: schemas.disabled } },
    problems: ['not_found', 'tampered', 'conflict'],
    answer: async (api, { params, caller }) => {
      await disablePerson(api.ctx, caller, params)
      return { status: 200, body: { disabled: true } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/people/:email/unlink',
    name: 'unlinkAccount',
    summary: "Unlink a person's account",
    description:
      'Remove the link between a person and their account at the sign-in provider (right managePeople)',
    access: { by: 'person' },
    params: personParams,
    body: emptyBody,
    answers: { 200: { description: 'Unlinked', schema: schemas.unlinked } },
    problems: ['not_found', 'tampered', 'conflict'],
    answer: async (api, { params, caller }) => {
      await unlinkIdentity(api.ctx, caller, params)
      return { status: 200, body: { unlinked: true } }
    },
  }),
]

/** Links made on the host itself; failures count like failed sign-ins. */
export function hostLinkRoute(failures: FailureLimit) {
  return openRoute({
    method: 'post',
    path: '/v1/auth/host-link',
    name: 'createHostLink',
    summary: "Create a host's sign-in link",
    description: 'Create a one-time sign-in link, with the token in DATA/run/host-token',
    body: schemas.hostLinkBody,
    answers: {
      201: { description: 'The link, which is returned only here', schema: schemas.signInLink },
    },
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
      const link = await makeLink(api, host, { email: body.email })
      api.signInMails?.notify(body.email, { what: 'link_made' })
      return { status: 201, body: link }
    },
  })
}

async function makeLink(
  api: Api,
  caller: Caller,
  input: NewSignInLink,
): Promise<{ url: string; expiresAt: string }> {
  const link = await createSignInLink(api.ctx, caller, input)
  return answerOf({
    url: signInUrl(api.settings.publicUrl, link.token),
    expiresAt: link.expiresAt,
  })
}
