import { Problem } from '../../../domain/problem.ts'
import { hasRight } from '../../../services/access/has-right.ts'
import { route, type Route } from '../../route.ts'

export const metricsRoutes: Route[] = [
  route({
    method: 'get',
    path: '/metrics',
    summary: 'The figures of this process and of the installation, for Prometheus; no ids in them',
    access: { by: 'personOrKey', scope: 'audit:read' },
    answers: { 200: { description: 'Prometheus text format', contentTypes: ['text/plain'] } },
    problems: ['not_found'],
    answer: async (api, { caller }) => {
      const isPerson = caller.actor.type === 'person'
      if (isPerson && !(await hasRight(api.ctx, caller.actor, 'readAudit'))) {
        throw new Problem('forbidden', 'Reading metrics takes the right readAudit')
      }
      const { metrics } = api
      if (metrics === undefined) throw new Problem('not_found', 'There is nothing under this path')
      const text = await metrics.text()
      return (response) => {
        response
          .set({ 'content-type': metrics.contentType, 'cache-control': 'no-store' })
          .send(text)
      }
    },
  }),
]
