import { listRequests } from '../../services/requests/list-requests.ts'
import { withoutUndefined } from '../without-undefined.ts'
import { requireQueue } from '../known-names.ts'
import { route, type Route } from '../route.ts'
import * as schemas from '../schemas/requests.ts'
import { requestItemView } from '../views/request-view.ts'

const access = { by: 'personOrKey', scope: 'requests:read' } as const

export const requestRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/requests',
    summary: 'Requests the caller may see',
    access,
    query: schemas.requestsQuery,
    answers: { 200: { description: 'A page', schema: schemas.requestList } },
    answer: async (api, { query, caller }) => {
      await requireQueue(api, query.queue)
      const { mine, ...filters } = query
      const page = await listRequests(api.ctx, caller, {
        ...withoutUndefined(filters),
        mine: mine === 'true',
      })
      return {
        status: 200,
        body: { items: page.items.map(requestItemView), nextCursor: page.nextCursor },
      }
    },
  }),
]
