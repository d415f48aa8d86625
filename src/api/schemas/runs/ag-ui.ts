import { z } from 'zod'
import * as example from '../examples.ts'

const message = z.looseObject({
  id: z.string().max(500),
  role: z.string().max(50),
  toolCallId: z.string().max(500).optional(),
  toolCalls: z
    .array(z.looseObject({ id: z.string().max(500) }))
    .max(1000)
    .optional(),
})

/** `RunAgentInput` of AG-UI 1.0, as far as it is read. */
export const runAgentInput = z
  .looseObject({
    threadId: z.string().min(1).max(500),
    runId: z.string().min(1).max(500),
    messages: z.array(message).max(10_000),
    resume: z
      .array(z.looseObject({ interruptId: z.string().max(500), status: z.string().max(50) }))
      .max(100)
      .optional(),
  })
  .meta({ examples: [{ threadId: example.runId, runId: 'front-end-1', messages: [] }] })
