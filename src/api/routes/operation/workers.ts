import { z } from 'zod'
import { Problem } from '../../../domain/problem.ts'
import { readPerson } from '../../../services/access/read-person.ts'
import { pageByName } from '../../../services/pages.ts'
import { personBehind } from '../../../services/requests/viewer.ts'
import { route, type Route } from '../../route.ts'
import { name, pageQuery } from '../../schemas/common.ts'
import * as schemas from '../../schemas/operation/workers.ts'
import { workerDetailView, workerView } from '../../views/worker-view.ts'
import { withoutUndefined } from '../../without-undefined.ts'

const access = { by: 'personOrKey', scope: 'runs:read' } as const

export const workerRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/workers',
    summary: 'The workers of the policy in force',
    access,
    query: pageQuery,
    answers: { 200: { description: 'A page of workers, by name', schema: schemas.workerList } },
    answer: async (api, { query, caller }) => {
      const policy = await api.ctx.policies.inForce()
      const person = await readPerson(api.ctx, personBehind(caller))
      const page = pageByName([...policy.workers.values()], withoutUndefined(query), 'workers')
      const items = page.items.map((worker) => workerView(policy, worker, person.teams))
      const { nextCursor } = page
      return { status: 200, body: { items, nextCursor, policyDigest: policy.digest } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/workers/:name',
    summary: 'One worker, as it is in force',
    access,
    params: z.object({ name }),
    answers: { 200: { description: 'The worker', schema: schemas.workerDetail } },
    problems: ['unknown_worker'],
    answer: async (api, { params, caller }) => {
      const policy = await api.ctx.policies.inForce()
      const worker = policy.workers.get(params.name)
      if (worker === undefined) {
        throw new Problem('unknown_worker', `There is no worker ${params.name}`)
      }
      const person = await readPerson(api.ctx, personBehind(caller))
      return { status: 200, body: workerDetailView(policy, worker, person.teams) }
    },
  }),
]
