import { z } from 'zod'
import { readPerson } from '#services/access/read-person.ts'
import { pageByName } from '#services/core/pages.ts'
import { listWorkerCalls } from '#services/runs/reading/list-worker-calls.ts'
import { previewedLines, previewStart } from '#services/runs/starting/preview-start.ts'
import { personBehind } from '#services/requests/people/viewer.ts'
import { requireWorker } from '#services/core/require-worker.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { pageView } from '../../views/page-view.ts'
import { route } from '../../route/route.ts'
import { name } from '../../schemas/common.ts'
import * as schemas from '../../schemas/operation/workers.ts'
import { toolList } from '../../schemas/tool-list.ts'
import { answerOf } from '../../views/answer-of.ts'
import { workerCallView, workerDetailView, workerView } from '../../views/worker-view.ts'

const access = { by: 'personOrKey', scope: 'runs:read' } as const

export const workerRoutes = [
  route({
    method: 'get',
    path: '/v1/workers',
    name: 'listWorkers',
    summary: 'List workers',
    description:
      'The workers of the policy in force; with `lines`, what each may do without approval, what needs an approval, and what is blocked',
    access,
    query: schemas.workersQuery,
    answers: { 200: { description: 'A page of workers, by name', schema: schemas.workerList } },
    answer: async (api, { query, caller }) => {
      const policy = await api.ctx.policies.inForce()
      const person = await readPerson(api.ctx, personBehind(caller))
      const page = pageByName([...policy.workers.values()], query, 'workers')
      const view = (worker: WorkerDefinition) => ({
        ...workerView(policy, worker, person.teams),
        ...(query.lines === 'true' ? { lines: answerOf(previewedLines(policy, worker)) } : {}),
      })
      return { status: 200, body: { ...pageView(page, view), policyDigest: policy.digest } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/workers/:name',
    name: 'getWorker',
    summary: 'Get a worker',
    description:
      'One worker of the policy in force, with what its runs may do without approval, what needs an approval, and what is blocked',
    access,
    params: z.object({ name: name.describe('Name of a worker') }),
    answers: { 200: { description: 'The worker', schema: schemas.workerDetail } },
    problems: ['unknown_worker'],
    answer: async (api, { params, caller }) => {
      const policy = await api.ctx.policies.inForce()
      const worker = requireWorker(policy, params.name)
      const person = await readPerson(api.ctx, personBehind(caller))
      const preview = await previewStart(api.ctx, caller, policy, worker)
      return { status: 200, body: workerDetailView(policy, worker, person.teams, preview) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/workers/:name/tools',
    name: 'listWorkerTools',
    summary: "List a worker's tools",
    description:
      'The tools of a worker under the policy in force, with the schemas of their inputs',
    access,
    params: z.object({ name: name.describe('Name of a worker') }),
    answers: { 200: { description: 'The tools, with their schemas', schema: toolList } },
    problems: ['unknown_worker', 'workspace_unreachable'],
    answer: async (api, { params }) => {
      const policy = await api.ctx.policies.inForce()
      requireWorker(policy, params.name)
      const tools = await api.ctx.toolsOf(params.name)
      return { status: 200, body: { items: tools.map((tool) => ({ ...tool })) } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/workers/:name/calls',
    name: 'listWorkerCalls',
    summary: "List a worker's last calls",
    description:
      'The last five calls of a worker with some of its tools, in the newest runs that the caller may see, each with its verdict and its request',
    access,
    params: z.object({ name: name.describe('Name of a worker') }),
    query: schemas.workerCallsQuery,
    answers: { 200: { description: 'The calls', schema: schemas.workerCalls } },
    problems: ['unknown_worker'],
    answer: async (api, { params, query, caller }) => {
      const { name: worker } = requireWorker(await api.ctx.policies.inForce(), params.name)
      const calls = await listWorkerCalls(api.ctx, caller, { worker, tools: query.tools })
      return { status: 200, body: { items: calls.map(workerCallView) } }
    },
  }),
]
