import { z } from 'zod'
import { readPreamble } from '#services/runs/reading/read-preamble.ts'
import { findRun } from '#services/runs/visible-run.ts'
import { route } from '../../route/route.ts'
import { runRef } from '../../schemas/common.ts'
import { runPreamble } from '../../schemas/runs/preamble.ts'

export const runPreambleRoutes = [
  route({
    method: 'get',
    path: '/v1/runs/:id/preamble',
    name: 'getRunPreamble',
    summary: "Get a run's preamble",
    description:
      'The text that the model reads first: its zones, what it may do without approval, what needs an approval, what is blocked, and which workers it may call',
    access: { by: 'personOrKey', scope: 'runs:read' },
    params: z.object({ id: runRef }),
    answers: { 200: { description: 'The text and its version', schema: runPreamble } },
    answer: async (api, { params, caller }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const { version, text } = await readPreamble(api.ctx, caller, runId)
      return { status: 200, body: { version, text } }
    },
  }),
]
