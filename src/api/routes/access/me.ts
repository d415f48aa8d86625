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
    description: 'Who the caller is, and the token that state-changing calls carry',
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
]
