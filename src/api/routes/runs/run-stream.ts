import { z } from 'zod'
import { beginRunStream } from '#services/runs/streaming/read-run-stream.ts'
import { findRun } from '#services/runs/visible-run.ts'
import { answerRunStream } from '../../held-open/answer-run-stream.ts'
import { route } from '../../route/route.ts'
import { runRef } from '../../schemas/common.ts'

export const runStreamRoutes = [
  route({
    method: 'get',
    path: '/v1/runs/:id/stream',
    name: 'streamRun',
    summary: 'Stream a run',
    description:
      "The current turn and the turns after it, until the run waits for input or has ended, as server-sent events in the AI SDK's UI message stream protocol",
    access: { by: 'personOrKey', scope: 'runs:read' },
    params: z.object({ id: runRef }),
    headers: z.object({
      'last-event-id': z.string().optional().meta({ description: 'Continues after this event' }),
    }),
    answers: {
      200: {
        description:
          'Parts of a message, each with an `id:`, then `[DONE]`. It counts as one of the streams of the session or key, as `/v1/events` does',
        contentTypes: ['text/event-stream'],
        headers: z.object({
          'x-vercel-ai-ui-message-stream': z.literal('v1').meta({ description: 'The protocol' }),
        }),
      },
      204: { description: 'The run waits for input or has ended, and no events are left' },
    },
    answer: async (api, { params, request, caller, identity }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const after = request.get('last-event-id') || null
      const begin = await beginRunStream(api.ctx, caller, { runId, after })
      if (begin === null) return { status: 204, body: undefined }
      return async (response) => {
        // HEAD asks whether it would work.
        if (request.method === 'HEAD') {
          response.type('text/event-stream').end()
          return
        }
        await answerRunStream(api, response, { request, caller, identity, runId, begin })
      }
    },
  }),
]
