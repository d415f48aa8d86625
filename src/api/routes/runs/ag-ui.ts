import { z } from 'zod'
import { requestUrl } from '#domain/requests/request-url.ts'
import {
  AgUiTranslator,
  agUiVersion,
  historyOf,
  type AgUiEvent,
} from '#services/runs/streaming/ag-ui-events.ts'
import { readOpenInterrupts, type OpenInterrupt } from '#services/runs/streaming/open-interrupts.ts'
import { beginAt } from '#services/runs/streaming/stream-cursor.ts'
import { assertVisible, findRun } from '#services/runs/visible-run.ts'
import type { Api } from '../../context/api.ts'
import { answerRunStream } from '../../held-open/answer-run-stream.ts'
import type { StreamFormat } from '../../held-open/stream-run.ts'
import { route } from '../../route/route.ts'
import { runRef } from '../../schemas/common.ts'
import { runAgentInput } from '../../schemas/runs/ag-ui.ts'

/** The longest time for which a front end that resumes waits for a decision. */
const holdMs = 60_000

export const agUiRoutes = [
  route({
    method: 'post',
    path: '/v1/runs/:id/ag-ui',
    name: 'streamRunAsAgUi',
    summary: 'Stream a run in AG-UI',
    description:
      'Takes RunAgentInput of AG-UI 1.0 and answers with events for everything that its messages do not contain yet, until the run rests, has ended, or waits for people. If it waits for people, RUN_FINISHED has the outcome `interrupt`. A resume decides nothing: it waits up to a minute for a decision that somebody makes in Countersign',
    access: { by: 'personOrKey', scope: 'runs:read' },
    params: z.object({ id: runRef }),
    body: runAgentInput,
    answers: {
      200: {
        description: 'Events of AG-UI as server-sent events, without ids',
        contentTypes: ['text/event-stream'],
      },
    },
    answer: async (api, { params, body, request, caller, identity }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      await assertVisible(api.ctx, caller, runId)
      const history = historyOf(runId, body.messages)
      const format = formatOf(api, runId, body, new AgUiTranslator(runId, history))
      const begin = beginAt(Math.max(1, history.turn))
      const reader = { request, caller, identity, runId, begin, format }
      return (response) => answerRunStream(api, response, reader)
    },
  }),
]

const frame = (events: readonly AgUiEvent[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

function formatOf(
  api: Api,
  runId: string,
  input: z.infer<typeof runAgentInput>,
  translator: AgUiTranslator,
): StreamFormat {
  const of = { threadId: input.threadId, runId: input.runId }
  const resumed = new Set(input.resume?.map(({ interruptId }) => interruptId))
  const heldUntil = performance.now() + holdMs
  return {
    headers: {},
    first: frame([{ type: 'RUN_STARTED', ...of, protocolVersion: agUiVersion }]),
    frame: ({ id, part }) => {
      if (part === '[DONE]') return ''
      if (part.type !== 'finish') return frame(translator.translate(part, Number.parseInt(id, 10)))
      const { state, failure } = part.messageMetadata
      const end: AgUiEvent =
        part.finishReason === 'error'
          ? {
              type: 'RUN_ERROR',
              message: failure?.message ?? 'The run failed',
              code: failure?.code,
            }
          : {
              type: 'RUN_FINISHED',
              ...of,
              outcome: { type: state === 'cancelled' ? state : 'success' },
            }
      return frame([...translator.end(), end])
    },
    endEarly: async () => {
      const open = await readOpenInterrupts(api.ctx.db, runId)
      if (open.length === 0) return null
      const isHeld = open.some(({ requestId }) => resumed.has(requestId))
      if (isHeld && performance.now() < heldUntil) return null
      const interrupts = open.map((one) => interruptOf(one, api.settings.publicUrl))
      const outcome = { type: 'interrupt', interrupts }
      return frame([...translator.end(), { type: 'RUN_FINISHED', ...of, outcome }])
    },
  }
}

/** It contains no form, because the user of the front end does not decide there. */
function interruptOf(open: OpenInterrupt, publicUrl: string): Record<string, unknown> {
  const { requestId, number, queue, toolCallId, expiresAt } = open
  const url = requestUrl(publicUrl, requestId)
  return {
    id: requestId,
    reason: toolCallId === null ? `countersign:${open.kind}` : 'tool_call',
    message: `Waits as #${number} for a decision by the people of ${queue}: ${url}`,
    ...(toolCallId === null ? {} : { toolCallId }),
    expiresAt: expiresAt.toISOString(),
    metadata: { countersign: { requestId, number, queue, url } },
  }
}
