import { Problem } from '../../../domain/problem.ts'
import { hasRight } from '../../../services/access/has-right.ts'
import { callerOf } from '../../identity.ts'
import { admit, openRoute, type Question, type Route } from '../../route.ts'
import type { Api } from '../../settings.ts'

export const metricsRoutes: Route[] = [
  openRoute({
    method: 'get',
    path: '/metrics',
    summary:
      'The figures of this process and of the installation, for Prometheus; no ids in them. In the development profile for everybody, else for the right readAudit and the scope audit:read',
    answers: { 200: { description: 'Prometheus text format', contentTypes: ['text/plain'] } },
    problems: ['unauthenticated', 'forbidden', 'not_found'],
    answer: async (api, question) => {
      // The development profile listens on loopback only, and a scraper there has no key.
      if (api.settings.developmentToken === null) await refuseStrangers(api, question)
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

async function refuseStrangers(
  api: Api,
  { identity, request }: Question<unknown, unknown, unknown>,
): Promise<void> {
  const { actor } = callerOf(admit({ by: 'personOrKey', scope: 'audit:read' }, identity), request)
  if (actor.type === 'person' && !(await hasRight(api.ctx, actor, 'readAudit'))) {
    throw new Problem('forbidden', 'Reading metrics takes the right readAudit')
  }
}
