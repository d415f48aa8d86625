import { z } from 'zod'
import { limits } from '#domain/limits.ts'
import { outputStates } from '#domain/requests/request.ts'
import { id, instant, json, name, person, reason, wholeNumber, text } from '../common.ts'
import * as example from '../examples.ts'
import { runMode, runState, runBudget, run, startedExample } from './runs.ts'

/** Text or an object; what the run is asked to do. */
const runInput = z.union([text(1_000_000).min(1), z.record(z.string(), json)], {
  error: 'must be text or an object',
})

/** A picture or a text that goes with a message: the type is checked against the bytes. */
const sentFile = z
  .strictObject({
    name: text(limits.fileNameCharacters).min(1),
    mediaType: text(200).min(1),
    /** base64 */
    data: text(limits.httpBodyBytes).min(1),
  })
  .meta({ examples: [{ name: 'page.png', mediaType: 'image/png', data: 'iVBORw0KGgo=' }] })
const sentFiles = z.array(sentFile).max(limits.filesOfMessage)

export const startRunBody = z
  .strictObject({
    worker: name,
    input: runInput,
    /** of those that the worker may work in; absent: the first of them */
    workspace: name.optional(),
    mode: runMode.optional(),
    /** paths in the workspace: files that the run is given with its task */
    attachments: z.array(text(1024).min(1)).max(50).optional(),
    /** pictures (PNG, JPEG, GIF, WebP) and texts of whoever starts it */
    files: sentFiles.optional(),
    /**
     * true: it rests after its answer, for the next message; absent: as the worker file says of
     * runs that a person starts, else false
     */
    conversation: z.boolean().optional(),
    budget: runBudget.optional(),
  })
  .meta({
    examples: [{ worker: example.worker, input: 'Write the notes of 1.2', mode: 'prompt' }],
  })

export const outputQuery = z.strictObject({
  /** bytes that the reader has */
  offset: wholeNumber({ least: 0, most: 2 ** 31 - 1, message: 'must be a whole number' }).default(
    0,
  ),
})

export const outputHeaders = z.object({
  'x-output-state': z.enum(outputStates).meta({
    description:
      'running: ask again from the end of these bytes; unknown: nobody knows how the command ended, so this is not its result; ended: all stored bytes',
  }),
  'x-output-attempt': z.string().meta({ description: 'Another attempt starts at offset 0' }),
  'x-output-start': z.string().meta({
    description:
      'The offset at which the body begins; greater than the requested one if those bytes are not stored',
  }),
})

/** Where a fork goes on, and with what. */
export const forkBody = z
  .strictObject({
    /** the last turn that it takes over; absent: the last whose calls all have results; 0: none */
    afterTurn: z.int().min(0).max(1_000_000_000).optional(),
    /** its first message; needed unless afterTurn is 0 */
    text: text(100_000).min(1).optional(),
    /** instead of the old input; only with afterTurn 0 */
    input: runInput.optional(),
    /** current: the worker as it is in force now; pinned: as the old run was started with */
    worker: z.enum(['current', 'pinned']).optional(),
  })
  .meta({ examples: [{ afterTurn: 3, text: 'Write them for 1.3 instead' }] })

export const messageBody = z
  .strictObject({
    text: text(100_000).min(1),
    budget: runBudget.optional(),
    /** pictures (PNG, JPEG, GIF, WebP) and texts that go with it */
    files: sentFiles.optional(),
  })
  .meta({ examples: [{ text: 'Leave the internal changes out', budget: { turns: 10 } }] })

export const postedMessage = z.object({ messageId: id, runId: id, state: runState }).meta({
  examples: [{ messageId: example.otherId, runId: example.runId, state: 'running' }],
})

/** A manual tool and its input: an object, as the tool's schema says. */
export const callBody = z
  .strictObject({ tool: name, input: z.record(z.string(), json) })
  .meta({ examples: [{ tool: example.tool, input: example.input }] })

export const invokedTool = z
  .object({
    callId: id,
    runId: id,
    tool: z.string(),
    verdict: z.enum(['preApproved', 'ask']),
    /** the request that somebody else decides, when the call asks */
    requestId: id.nullable(),
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
  })
  .extend({ startedBy: person.nullable(), createdAt: instant })
  .meta({ id: 'StartedRun', examples: [startedExample] })

export const cancelledRun = z
  .object({ id, state: runState })
  .meta({ examples: [{ id: example.runId, state: 'cancelled' }] })

export const cancelRunBody = z
  .strictObject({ reason: reason.optional() })
  .meta({ examples: [{ reason: 'The release was called off' }] })
