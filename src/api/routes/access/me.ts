import { answerOf } from '../../views/answer-of.ts'
import { endAbsence, setAbsence } from '#services/access/absence.ts'
import { personBehind } from '#services/requests/people/viewer.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/access/auth.ts'
import { meView } from '../../views/access-view.ts'

export const meRoutes = [
  route({
    method: 'get',
    path: '/v1/me',
    name: 'getMe',
    summary: 'Get the caller',
    description: 'The caller, and the token that state-changing calls need',
    access: { by: 'personOrKey', scope: null },
    answers: { 200: { description: 'The caller', schema: schemas.me } },
    answer: async (api, { identity, caller }) => {
      const session = identity.kind === 'session' ? identity.session : null
      return {
        status: 200,
        body: await meView(api, {
          personId: personBehind(caller),
          signedInBy: session?.method ?? 'key',
          csrfToken: session?.csrfToken ?? null,
          expiresAt: session?.expiresAt ?? null,
        }),
      }
    },
  }),
  route({
    method: 'put',
    path: '/v1/me/absence',
    name: 'setAbsence',
    summary: "Set the caller's absence",
    description:
      'The caller is away until that time: they get no notifications and do not count as reachable',
    access: { by: 'person' },
    body: schemas.absenceBody,
    answers: { 200: { description: 'The absence', schema: schemas.absence } },
    answer: async (api, { body, caller }) => {
      return { status: 200, body: answerOf(await setAbsence(api.ctx, caller, body)) }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/me/absence',
    name: 'endAbsence',
    summary: "End the caller's absence",
    description: 'The caller is back',
    access: { by: 'person' },
    answers: { 200: { description: 'The absence has ended', schema: schemas.absenceEnded } },
    answer: async (api, { caller }) => {
      await endAbsence(api.ctx, caller)
      return { status: 200, body: { ended: true } }
    },
  }),
]
