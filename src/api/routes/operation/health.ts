import { Problem } from '#domain/problem.ts'
import { callerOf } from '../../identity/identity.ts'
import { admit, openRoute, type OperationInput } from '../../route/route.ts'
import type { Api } from '../../context/api.ts'
import { withinSeconds } from '../../middleware/within-seconds.ts'
import { actsByRight } from '#services/core/rights-of.ts'
import { healthy, readiness } from '../../schemas/operation/health.ts'

export const healthRoutes = [
  openRoute({
    method: 'get',
    path: '/healthz',
    name: 'getHealth',
    summary: "Get the process's health",
    description: 'The process answers',
    answers: { 200: { description: 'The process answers', schema: healthy } },
    answer: () => ({ status: 200, body: { status: 'ok' } }),
  }),
  openRoute({
    method: 'get',
    path: '/readyz',
    name: 'getReadiness',
    summary: 'Get readiness',
    description: 'Postgres and Temporal answer, and the relay has no backlog',
    answers: {
      200: { description: 'Ready', schema: readiness },
      503: { description: 'Not ready, with the part that is not ready', schema: readiness },
    },
    answer: async (api) => {
      const readiness = await api.readiness()
      return { status: readiness.ready ? 200 : 503, body: readiness }
    },
  }),
  openRoute({
    method: 'get',
    path: '/metrics',
    name: 'getMetrics',
    summary: 'Get the metrics',
    description:
      'Metrics of this process and of the installation for Prometheus, without ids. In the development profile everybody may read them; otherwise the right readAudit is needed, or a key with the scope audit:read of a person who has it',
    answers: { 200: { description: 'Prometheus text format', contentTypes: ['text/plain'] } },
    problems: ['unauthenticated', 'forbidden', 'not_found'],
    answer: async (api, question) => {
      // The development profile listens on loopback only, and a scraper there has no key.
      if (api.settings.developmentToken === null) {
        await withinSeconds(refuseStrangers(api, question))
      }
      const { metrics } = api
      if (metrics === undefined) throw new Problem('not_found', 'This path does not exist')
      const text = await metrics.text()
      return (response) => {
        response
          .set({ 'content-type': metrics.contentType, 'cache-control': 'no-store' })
          .send(text)
      }
    },
  }),
]

async function refuseStrangers(
  api: Api,
  { identity, request }: OperationInput<unknown, unknown, unknown>,
): Promise<void> {
  const { actor } = callerOf(admit({ by: 'personOrKey', scope: 'audit:read' }, identity), request)
  if (!(await actsByRight(api.ctx, actor, 'readAudit'))) {
    throw new Problem('forbidden', 'Reading metrics needs the right readAudit')
  }
}
