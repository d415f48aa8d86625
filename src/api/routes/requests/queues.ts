import { listQueues } from '../../../services/requests/lists/list-queues.ts'
import { route, type Route } from '../../route.ts'
import { pageQuery } from '../../schemas/common.ts'
import { queueList } from '../../schemas/requests/queues.ts'
import { withoutUndefined } from '../../without-undefined.ts'

export const queueRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/queues',
    summary: 'Queues with what waits in each',
    access: { by: 'personOrKey', scope: 'requests:read' },
    query: pageQuery,
    answers: { 200: { description: 'A page of queues, by name', schema: queueList } },
    answer: async (api, { query, caller }) => {
      const page = await listQueues(api.ctx, caller, withoutUndefined(query))
      const items = page.items.map((queue) => ({
        ...queue,
        oldestAt: queue.oldestAt?.toISOString() ?? null,
      }))
      return { status: 200, body: { items, nextCursor: page.nextCursor } }
    },
  }),
]
