import { z } from 'zod'
import { invokeTool } from '#services/engine/manual-calls/invoke-tool.ts'
import { closeConversation } from '#services/engine/lifecycle/close-conversation.ts'
import { findRun } from '#services/runs/visible-run.ts'
import { discardWorktree } from '#services/engine/lifecycle/discard-worktree.ts'
import { cancelRun } from '#services/engine/lifecycle/cancel-run.ts'
import { forkRun } from '#services/runs/forking/fork-run.ts'
import { getRun } from '#services/runs/reading/get-run.ts'
import { messageRun } from '#services/runs/message-run.ts'
import { revealRunSecret } from '#services/runs/reading/reveal-run-secret.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import { idempotencyHeader, idempotencyKeyOf } from '../../route/preferences.ts'
import { route } from '../../route/route.ts'
import { startedAnswer } from '../../views/started-answer.ts'
import { maskedValue, revealed, runRef } from '../../schemas/common.ts'
import { workspaceRootOf } from '../../context/api.ts'
import { runDetailView } from '../../views/run-view.ts'
import * as actions from '../../schemas/runs/run-actions.ts'
import * as schemas from '../../schemas/runs/runs.ts'

const access = { by: 'personOrKey', scope: 'runs:write' } as const
const params = z.object({ id: runRef })

/** What changes a run. */
export const runActionRoutes = [
  route({
    method: 'post',
    path: '/v1/runs',
    name: 'startRun',
    summary: 'Start a run',
    description:
      'Answers when the run is recorded. The run takes its first turn as soon as a Temporal worker is free',
    access,
    body: actions.startRunBody,
    headers: z.object(idempotencyHeader),
    answers: {
      201: { description: 'Started. The run is recorded durably', schema: actions.startedRun },
    },
    problems: [
      'unknown_worker',
      'mode_not_permitted',
      'unreachable_approvers',
      'budget_exhausted',
      'conflict',
      'policy_blocked',
      'workspace_unreachable',
      'idempotency_key_reused',
    ],
    answer: async (api, { body, caller, request }) => {
      const key = idempotencyKeyOf(request)
      return startedAnswer(api, caller, await startRun(api.ctx, caller, { ...body, ...key }))
    },
  }),
  route({
    method: 'post',
    path: '/v1/runs/:id/messages',
    name: 'postMessage',
    summary: 'Post a message',
    description: 'Post a message. The next turn reads it, and a run that waits for input continues',
    access,
    params,
    body: actions.messageBody,
    headers: z.object(idempotencyHeader),
    answers: { 201: { description: 'Posted', schema: actions.postedMessage } },
    problems: ['run_ended', 'conflict', 'idempotency_key_reused'],
    answer: async (api, { params, body, caller, request }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const key = idempotencyKeyOf(request)
      const posted = await messageRun(api.ctx, caller, { runId, ...body, ...key })
      return { status: 201, body: posted }
    },
  }),
  route({
    method: 'post',
    path: '/v1/runs/:id/forks',
    name: 'forkRun',
    summary: 'Fork a run',
    description:
      'Start a run that continues the transcript of another run from a given turn. The principals of the other run are principals of the new one',
    access,
    params,
    body: actions.forkBody,
    headers: z.object(idempotencyHeader),
    answers: {
      201: { description: 'Started. The run is recorded durably', schema: actions.startedRun },
    },
    problems: [
      'unknown_worker',
      'mode_not_permitted',
      'unreachable_approvers',
      'budget_exhausted',
      'conflict',
      'workspace_unreachable',
      'idempotency_key_reused',
    ],
    answer: async (api, { params, body, caller, request }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const key = idempotencyKeyOf(request)
      return startedAnswer(api, caller, await forkRun(api.ctx, caller, { runId, ...body, ...key }))
    },
  }),
  route({
    method: 'post',
    path: '/v1/runs/:id/calls',
    name: 'invokeTool',
    summary: 'Invoke a tool',
    description:
      'Invoke a manual tool on a run. Policy judges the call like any other, and the caller is its principal',
    access: { by: 'person' },
    params,
    body: actions.callBody,
    headers: z.object(idempotencyHeader),
    answers: {
      201: {
        description: 'The call runs, or it waits for an approval',
        schema: actions.invokedTool,
      },
    },
    problems: [
      'run_ended',
      'policy_blocked',
      'conflict',
      'idempotency_key_reused',
      'workspace_unreachable',
    ],
    answer: async (api, { params, body, caller, request }) => {
      const key = idempotencyKeyOf(request)
      const runId = await findRun(api.ctx, caller, params.id)
      const invoked = await invokeTool(api.ctx, caller, { runId, ...body, ...key })
      return { status: 201, body: invoked }
    },
  }),
  route({
    method: 'post',
    path: '/v1/runs/:id/close',
    name: 'closeRun',
    summary: 'Close a run',
    description: 'Complete a run that waits for input, with its last answer as its output',
    access,
    params,
    headers: z.object(idempotencyHeader),
    answers: { 200: { description: 'Completed', schema: schemas.runDetail } },
    problems: ['run_ended', 'conflict', 'idempotency_key_reused'],
    answer: async (api, { params, caller, request }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const key = idempotencyKeyOf(request)
      await closeConversation(api.ctx, caller, { runId, ...key })
      const record = await getRun(api.ctx, caller, runId)
      const root = await workspaceRootOf(api, record.workspace.name)
      return { status: 200, body: runDetailView(record, api.settings, root) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/runs/:id/discard',
    name: 'discardRun',
    summary: 'Discard a worktree',
    description:
      'Remove the worktree of a run that has ended, and its branch, with what is not merged or committed',
    access,
    params,
    answers: { 200: { description: 'Discarded', schema: schemas.runDetail } },
    problems: ['conflict'],
    answer: async (api, { params, caller }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      await discardWorktree(api.ctx, caller, { runId })
      const record = await getRun(api.ctx, caller, runId)
      return { status: 200, body: runDetailView(record, api.settings, null) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/runs/:id/cancel',
    name: 'cancelRun',
    summary: 'Cancel a run',
    description: 'Cancel a run and every run below it',
    access,
    params,
    body: actions.cancelRunBody,
    answers: { 200: { description: 'Cancelled', schema: actions.cancelledRun } },
    problems: ['run_ended'],
    answer: async (api, { params, body, caller }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const cancelled = await cancelRun(api.ctx, caller, { runId, ...body })
      return { status: 200, body: cancelled }
    },
  }),
  route({
    method: 'post',
    path: '/v1/runs/:id/reveals',
    name: 'recordRunReveal',
    summary: 'Record a revealed value',
    description: 'Record that the caller reveals a masked value of the run',
    access: { by: 'personOrKey', scope: 'runs:read' },
    params,
    body: maskedValue,
    answers: { 200: { description: 'Recorded: the client may show the value', schema: revealed } },
    answer: async (api, { params, body, caller }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      await revealRunSecret(api.ctx, caller, { runId, ...body })
      return { status: 200, body: { revealed: true } }
    },
  }),
]
