import { z } from 'zod'
import { limits } from '#domain/limits.ts'
import { outputStates } from '#domain/requests/request.ts'
import { id, json, name, reason, toolName, wholeNumber, text } from '../common.ts'
import * as example from '../examples.ts'
import { modeText, runMode, runState, runBudget, run, startedExample } from './runs.ts'

/** The task of the run: a text or an object. */
const runInput = z.union(
  [text(1_000_000).min(1).regex(/\S/, 'must not be blank'), z.record(z.string(), json)],
  {
    error: 'must be text or an object',
  },
)

/** A picture or text that is sent with a message. The type must match the bytes. */
const sentFile = z
  .strictObject({
    name: text(limits.fileNameCharacters)
      .min(1)
      .describe(`Name of the file, at most ${limits.fileNameCharacters} characters`),
    mediaType: text(200).min(1).describe('Such as `image/png` or `text/plain`'),
    data: text(limits.httpBodyBytes).min(1).describe('Base64'),
  })
  .meta({ examples: [{ name: 'page.png', mediaType: 'image/png', data: 'iVBORw0KGgo=' }] })
const sentFiles = z.array(sentFile).max(limits.filesOfMessage)

export const startRunBody = z
  .strictObject({
    worker: name.describe('Name of the worker to start'),
    input: runInput.describe('The task: a text, or an object of the worker’s `input` schema'),
    workspace: name.optional().describe('One of the workspaces of the worker; default: its first'),
    mode: runMode.optional().describe(modeText),
    attachments: z
      .array(text(1024).min(1))
      .max(50)
      .optional()
      .describe('Paths in the workspace of files that are attached to the task'),
    files: sentFiles.optional().describe('Pictures (PNG, JPEG, GIF, WebP) and texts of the caller'),
    conversation: z
      .boolean()
      .optional()
      .describe(
        'Whether the run waits for messages after its answer; default: as the file of the worker says',
      ),
    budget: runBudget.optional().describe('What the run may use until its next message'),
  })
  .meta({
    examples: [{ worker: example.worker, input: 'Write the notes of 1.2', mode: 'prompt' }],
  })
export type StartBody = z.infer<typeof startRunBody>

export const outputQuery = z.strictObject({
  offset: wholeNumber({ min: 0, max: 2 ** 31 - 1, message: 'must be a whole number' })
    .default(0)
    .describe('The number of bytes that the reader already has'),
})

export const outputHeaders = z.object({
  'x-output-state': z.enum(outputStates).meta({
    description:
      '`running`: send the request again from the end of these bytes; `unknown`: nobody knows how the command ended, so this is not its result; `ended`: all stored bytes',
  }),
  'x-output-attempt': z.string().meta({ description: 'Another attempt starts at offset 0' }),
  'x-output-start': z.string().meta({
    description:
      'The offset at which the body begins; greater than the requested one if those bytes are not stored',
  }),
})

/** Where a fork continues, and its first message or input. */
export const forkBody = z
  .strictObject({
    afterTurn: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .optional()
      .describe(
        'The last turn that the fork takes over; default: the last turn whose calls all have results; 0: none',
      ),
    text: text(100_000)
      .min(1)
      .optional()
      .describe('The first message of the fork; required unless `afterTurn` is 0'),
    input: runInput.optional().describe('Replaces the input of the run; only with `afterTurn` 0'),
    files: sentFiles
      .optional()
      .describe('Pictures (PNG, JPEG, GIF, WebP) and texts that go with its first message'),
    worker: z
      .enum(['current', 'pinned'])
      .optional()
      .describe(
        '`current`: the worker of the policy in force; `pinned`: the worker with which the other run was started',
      ),
  })
  .meta({ examples: [{ afterTurn: 3, text: 'Write them for 1.3 instead' }] })
export type ForkBody = z.infer<typeof forkBody>

export const messageBody = z
  .strictObject({
    text: text(100_000).min(1).describe('What the model reads, at most 100,000 characters'),
    budget: runBudget.optional().describe('What the run may use from then on'),
    files: sentFiles
      .optional()
      .describe('Pictures (PNG, JPEG, GIF, WebP) and texts that go with the message'),
  })
  .meta({ examples: [{ text: 'Leave the internal changes out', budget: { turns: 10 } }] })

export const postedMessage = z
  .object({
    messageId: id,
    runId: id,
    state: runState.describe('The state of the run after the message'),
  })
  .meta({
    examples: [{ messageId: example.otherId, runId: example.runId, state: 'running' }],
  })

export const callBody = z
  .strictObject({
    tool: name.describe('A manual tool, from `GET /v1/runs/:id/tools`'),
    input: z.record(z.string(), json).describe('Must match the `inputSchema` of the tool'),
  })
  .meta({ examples: [{ tool: example.tool, input: example.input }] })

export const invokedTool = z
  .object({
    callId: id,
    runId: id,
    tool: toolName,
    verdict: z
      .enum(['preApproved', 'ask'])
      .describe('`preApproved`: it runs now; `ask`: it waits for an approval'),
    requestId: id
      .nullable()
      .describe('The request, if the call needs an approval of another person'),
  })
  .meta({
    examples: [
      {
        callId: example.callId,
        runId: example.runId,
        tool: example.tool,
        verdict: 'ask',
        requestId: example.requestId,
      },
    ],
  })
export type InvokedTool = z.infer<typeof invokedTool>

export const startedRun = run
  .pick({
    id: true,
    number: true,
    workflowId: true,
    worker: true,
    state: true,
    mode: true,
    conversation: true,
    forkedFrom: true,
    workspace: true,
    startedBy: true,
    createdAt: true,
    task: true,
    usage: true,
    waitsFor: true,
  })
  .meta({ id: 'StartedRun', examples: [startedExample] })
export type StartedRunAnswer = z.infer<typeof startedRun>

export const cancelledRun = z
  .object({ id, state: runState.describe('The state of the run after the call') })
  .meta({ examples: [{ id: example.runId, state: 'cancelled' }] })

export const cancelRunBody = z
  .strictObject({ reason: reason.optional().describe('Why the run is cancelled') })
  .meta({ examples: [{ reason: 'The release was called off' }] })
