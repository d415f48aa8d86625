import { startRunName } from '#domain/runs/start-of-run.ts'
import { judgeStart } from '#policy/judge/judge-start.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/policy/policy.ts'
import {
  explanationView,
  activationView,
  agreementView,
  policyStateView,
} from '../../views/policy-view.ts'
import { z } from 'zod'
import { agreeToFolder } from '#services/policy/agree-to-policy.ts'
import { cancelProposal } from '#services/policy/cancel-proposal.ts'
import { listActivations } from '#services/policy/activations/list-activations.ts'
import { listDefinitions } from '#services/policy/pins/list-definitions.ts'
import { readPolicyState } from '#services/policy/read-policy-state.ts'
import { replayPolicy } from '#services/replay/replay-policy.ts'
import { showDifference } from '#services/policy/show-difference.ts'
import { requireWorker } from '#services/core/require-worker.ts'
import { answerOf } from '../../views/answer-of.ts'
import { pageView } from '../../views/page-view.ts'
import { id, withdrawn } from '../../schemas/common.ts'
import { replay, replayBody } from '../../schemas/policy/replay.ts'

/**
 * What the policy says of a call, and its versions: which is in force, what would change, and
 * putting another one into force.
 */
export const policyRoutes = [
  route({
    method: 'post',
    path: '/v1/policy/explain',
    name: 'explainCall',
    summary: 'Explain a call',
    description: 'The verdict of policy for a hypothetical call, step by step',
    access: { by: 'personOrKey', scope: 'runs:read' },
    body: schemas.explainBody,
    answers: {
      200: { description: 'The verdict and the steps that led to it', schema: schemas.explanation },
    },
    problems: ['unknown_worker', 'workspace_unreachable'],
    answer: async (api, { body }) => {
      const policy = await api.ctx.policies.inForce()
      const worker = requireWorker(policy, body.worker)
      if (body.tool === startRunName) {
        const started = { worker: worker.name, input: body.input, mode: 'prompt', attachments: [] }
        return { status: 200, body: explanationView(judgeStart(policy, worker, started)) }
      }
      const { judgement } = await api.ctx.judgeRemotely({ ...body, present: false })
      return { status: 200, body: explanationView(judgement) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/policy',
    name: 'getPolicy',
    summary: 'Get the policy',
    description:
      'The version in force; with the right activatePolicy, also the version in the folder and the open proposal',
    access: { by: 'personOrKey', scope: 'runs:read' },
    answers: { 200: { description: 'The state of the policy', schema: schemas.policyState } },
    answer: async (api, { caller }) => {
      const state = await readPolicyState(api.ctx, caller, api.settings.projectDir)
      return { status: 200, body: policyStateView(state) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/policy/activations',
    name: 'listActivations',
    summary: 'List activations',
    description: 'All activations of policy versions, newest first',
    access: { by: 'personOrKey', scope: 'runs:read' },
    query: schemas.activationQuery,
    answers: { 200: { description: 'A page of activations', schema: schemas.activationList } },
    answer: async (api, { query }) => {
      const page = await listActivations(api.ctx, query)
      return { status: 200, body: pageView(page, activationView) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/policy/definitions',
    name: 'listDefinitions',
    summary: 'List tool definitions',
    description:
      'The tool definitions of MCP servers that the version in force pins, and what changed since',
    access: { by: 'personOrKey', scope: 'runs:read' },
    answers: { 200: { description: 'Each server of each worker', schema: schemas.definitionList } },
    answer: async (api) => {
      const servers = await listDefinitions(api.ctx)
      return { status: 200, body: { items: answerOf(servers) } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/policy/difference',
    name: 'comparePolicies',
    summary: 'Compare versions',
    description:
      'The difference between a version (default: the folder’s) and another (default: the one in force)',
    access: { by: 'person' },
    query: schemas.differenceQuery,
    answers: { 200: { description: 'Files and settings', schema: schemas.policyDifference } },
    problems: ['not_found', 'invalid_request'],
    answer: async (api, { query, caller }) => {
      const { projectDir } = api.settings
      const difference = await showDifference(api.ctx, caller, { ...query, projectDir })
      return { status: 200, body: difference }
    },
  }),
  route({
    method: 'post',
    path: '/v1/policy/activations',
    name: 'activatePolicy',
    summary: 'Activate a version',
    description: 'Agree to the activation of the folder’s version (right activatePolicy)',
    access: { by: 'person' },
    body: schemas.activateBody,
    answers: {
      200: { description: 'It is in force', schema: schemas.agreement },
      202: { description: 'A second person has to agree', schema: schemas.agreement },
    },
    problems: ['stale_digest', 'conflict', 'unreachable_approvers'],
    answer: async (api, { body, caller }) => {
      const { projectDir } = api.settings
      const agreed = await agreeToFolder(api.ctx, caller, { projectDir, digest: body.digest })
      return { status: agreed.state === 'proposed' ? 202 : 200, body: agreementView(agreed) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/policy/replay',
    name: 'replayPolicy',
    summary: 'Replay past calls',
    description:
      'Judge past calls again under the folder’s version, and return the verdicts that differ (right activatePolicy)',
    access: { by: 'person' },
    body: replayBody,
    answers: { 200: { description: 'A page of calls, judged again', schema: replay } },
    problems: ['workspace_unreachable'],
    answer: async (api, { body, caller }) => {
      const { since, ...page } = body
      const replayed = await replayPolicy(api.ctx, caller, {
        ...page,
        projectDir: api.settings.projectDir,
        ...(since === undefined ? {} : { since: new Date(since) }),
      })
      return { status: 200, body: replayed }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/policy/proposals/:id',
    name: 'withdrawPolicyProposal',
    summary: 'Withdraw a proposed version',
    description: 'Withdraw a version that waits for a second person (right activatePolicy)',
    access: { by: 'person' },
    params: z.object({ id: id.describe('Id of a proposal') }),
    answers: { 200: { description: 'It was withdrawn', schema: withdrawn } },
    problems: ['not_found', 'conflict'],
    answer: async (api, { params, caller }) => {
      await cancelProposal(api.ctx, caller, { proposalId: params.id })
      return { status: 200, body: { withdrawn: true } }
    },
  }),
]
