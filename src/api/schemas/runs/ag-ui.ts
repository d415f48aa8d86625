import { z } from 'zod'
import * as example from '../examples.ts'

const message = z.looseObject({
  id: z.string().max(500).describe('Id that the front end gave the message'),
  role: z.string().max(50).describe('`user`: text for the run; `tool`: the answer to a request'),
  toolCallId: z.string().max(500).optional().describe('Of role `tool`: the call it answers'),
  toolCalls: z
    .array(z.looseObject({ id: z.string().max(500).describe('Id of the call') }))
    .max(1000)
    .optional()
    .describe('Calls in the message of an assistant; not read'),
})
export type FrontEndMessage = z.output<typeof message>

/** The members of `RunAgentInput` of AG-UI 1.0 that the service reads. */
export const runAgentInput = z
  .looseObject({
    threadId: z.string().min(1).max(500).describe('Id of the thread; the answer repeats it'),
    runId: z
      .string()
      .min(1)
      .max(500)
      .describe('Id that the front end gave this exchange; the answer repeats it'),
    messages: z.array(message).max(10_000).describe('The thread as the front end has it'),
    resume: z
      .array(
        z.looseObject({
          interruptId: z.string().max(500).describe('Id of the request that is answered'),
          status: z.string().max(50).describe('How it ended, in the words of AG-UI'),
        }),
      )
      .max(100)
      .optional()
      .describe('Answers to interrupts'),
  })
  .meta({ examples: [{ threadId: example.runId, runId: 'front-end-1', messages: [] }] })
