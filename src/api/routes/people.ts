import { z } from 'zod'
import { disablePerson } from '../../services/access/disable-person.ts'
import { requireRight } from '../../services/access/has-right.ts'
import { listPeople } from '../../services/access/list-people.ts'
import { createSignInLink } from '../../services/access/sign-in-link.ts'
import { signInUrl } from '../../services/access/sign-in-url.ts'
import { route, type Route } from '../route.ts'
import * as schemas from '../schemas/auth.ts'
import { email, emptyBody } from '../schemas/common.ts'
import { personView } from '../views/person-view.ts'

const personParams = z.object({ email })

export const peopleRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/people',
    summary: 'Everybody the project names or has named',
    access: { by: 'person' },
    answers: { 200: { description: 'People, by address', schema: schemas.peopleList } },
    answer: async (api, { caller }) => {
      const people = await listPeople(api.ctx, caller)
      return { status: 200, body: { items: people.map(personView) } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/people/:email/link',
    summary: 'Make a one-time sign-in link for somebody (right activatePolicy)',
    access: { by: 'person' },
    params: personParams,
    body: emptyBody,
    answers: { 201: { description: 'The link, shown this once', schema: schemas.signInLink } },
    answer: async (api, { params, caller }) => {
      await requireRight(api.ctx, caller, 'activatePolicy')
      const link = await createSignInLink(api.ctx, caller, params)
      const url = signInUrl(api.settings.publicUrl, link.token)
      return { status: 201, body: { url, expiresAt: link.expiresAt.toISOString() } }
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
]
