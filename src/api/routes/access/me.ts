import { personBehind } from '../../../services/requests/viewer.ts'
import { route, type Route } from '../../route.ts'
import * as schemas from '../../schemas/access/auth.ts'
import { meView } from '../../views/me-view.ts'

export const meRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/me',
    summary: 'Who the caller is, and the token that state-changing calls carry',
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
