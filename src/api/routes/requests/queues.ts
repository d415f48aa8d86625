import { listQueues } from '#services/requests/lists/list-queues.ts'
import { answerOf } from '../../views/answer-of.ts'
import { route } from '../../route/route.ts'
import { pageQuery } from '../../schemas/common.ts'
import { queueList } from '../../schemas/requests/queues.ts'

export const queueRoutes = [
  route({
    method: 'get',
    path: '/v1/queues',
    name: 'listQueues',
    summary: 'List queues',
    description: 'The queues, with the pending requests of each',
    access: { by: 'personOrKey', scope: 'requests:read' },
    query: pageQuery,
    answers: { 200: { description: 'A page of queues, by name', schema: queueList } },
    answer: async (api, { query, caller }) => {
      const page = await listQueues(api.ctx, caller, query)
      return { status: 200, body: answerOf(page) }
    },
  }),
]
