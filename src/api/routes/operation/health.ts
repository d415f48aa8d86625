import { openRoute, type Route } from '../../route.ts'
import { healthy, readiness } from '../../schemas/operation/health.ts'

export const healthRoutes: Route[] = [
  openRoute({
    method: 'get',
    path: '/healthz',
    summary: 'The process answers',
    answers: { 200: { description: 'It does', schema: healthy } },
    answer: () => ({ status: 200, body: { status: 'ok' } }),
  }),
  openRoute({
    method: 'get',
    path: '/readyz',
    summary: 'Postgres and Temporal answer, and the relay keeps up',
    answers: {
      200: { description: 'Ready', schema: readiness },
      503: { description: 'Not ready, and which part is not', schema: readiness },
    },
    answer: async (api) => {
      const found = await api.readiness()
      return { status: found.ready ? 200 : 503, body: found }
    },
  }),
]
