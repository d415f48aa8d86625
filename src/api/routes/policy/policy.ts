import { Problem } from '../../../domain/problem.ts'
import { route, type Route } from '../../route.ts'
import * as schemas from '../../schemas/policy/policy.ts'
import { explanationView } from '../../views/explanation-view.ts'

export const policyRoutes: Route[] = [
  route({
    method: 'post',
    path: '/v1/policy/explain',
    summary: 'What policy would say of a hypothetical call, step by step',
    access: { by: 'personOrKey', scope: 'runs:read' },
    body: schemas.explainBody,
    answers: { 200: { description: 'The verdict and how it came', schema: schemas.explanation } },
    problems: ['unknown_worker', 'workspace_unreachable'],
    answer: async (api, { body }) => {
      const policy = await api.ctx.policies.inForce()
      if (!policy.workers.has(body.worker)) {
        throw new Problem('unknown_worker', `There is no worker ${body.worker}`)
      }
      const { judgement } = await api.ctx.judgeRemotely({ ...body, present: false })
      return { status: 200, body: explanationView(judgement) }
    },
  }),
]
