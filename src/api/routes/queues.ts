import { listQueues } from '../../services/requests/list-queues.ts'
import { route, type Route } from '../route.ts'
import { queueList } from '../schemas/requests.ts'

export const queueRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/queues',
    summary: 'Queues with what waits in each',
    access: { by: 'personOrKey', scope: 'requests:read' },
    answers: { 200: { description: 'Queues, by name', schema: queueList } },
    answer: async (api, { caller }) => {
      const queues = await listQueues(api.ctx, caller)
      const items = queues.map((queue) => ({
        ...queue,
        oldestAt: queue.oldestAt?.toISOString() ?? null,
      }))
      return { status: 200, body: { items } }
    },
  }),
]
