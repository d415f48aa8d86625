import { z } from 'zod'
import {
  email,
  hash,
  id,
  instant,
  json,
  listOf,
  name,
  page,
  person,
  reason,
  text,
} from '../common.ts'

export const runMode = z.enum(['prompt', 'strict', 'approve_all'])
export const runState = z.enum([
  'running',
  'waiting_for_approval',
  'waiting_for_input',
  'completed',
  'failed',
  'cancelled',
])
export type RunStateName = z.infer<typeof runState>

/** Text or an object; what the run is asked to do. */
const runInput = z.union([text(1_000_000).min(1), z.record(z.string(), json)], {
  error: 'must be text or an object',
})

export const startRunBody = z.strictObject({
  worker: name,
  input: runInput,
  mode: runMode.optional(),
  /** paths in the workspace: files that the run is given with its task */
  attachments: z.array(text(1024).min(1)).max(50).optional(),
})

export const outputQuery = z.strictObject({
  /** bytes that the reader has */
  offset: z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(0)
    .max(2 ** 31 - 1)
    .default(0),
})

export const outputHeaders = z.object({
  'x-output-state': z.enum(['running', 'unknown', 'ended']).meta({
    description:
      'running: ask again from where this ends; unknown: nobody knows how it ended, this is no result; ended: all that was kept',
  }),
  'x-output-attempt': z.string().meta({ description: 'Another attempt begins at offset 0' }),
  'x-output-start': z.string().meta({
    description: 'Where the body begins; more than the offset when what was there is not kept',
  }),
})

export const runsQuery = z.strictObject({
  ...page,
  state: runState.optional(),
  worker: name.optional(),
  startedBy: z
    .union([z.literal('me'), id, email], { error: 'must be me, an id or an address' })
    .optional(),
})

export const runFailure = z.object({ code: z.string(), message: z.string() })

export const lineageEntry = z.object({ runId: id, worker: z.string(), startedBy: person })
export type LineageEntry = z.infer<typeof lineageEntry>

export const run = z
  .object({
    id,
    workflowId: z.string(),
    worker: z.string(),
    state: runState,
    mode: runMode,
    startedBy: person,
    createdAt: instant,
    endedAt: instant.nullable(),
    pendingRequests: z.int(),
    /** the first line of what the run was asked, for lists */
    title: z.string(),
    /** the model is a script, not a model: said wherever the run is shown */
    scripted: z.boolean(),
    failure: runFailure.optional(),
  })
  .meta({ id: 'Run' })
export type Run = z.infer<typeof run>
export const runList = listOf(run)
export type RunList = z.infer<typeof runList>

export const runDetail = run
  .extend({
    turns: z.int(),
    lineage: z.array(lineageEntry),
    children: z.array(
      z.object({
        runId: id,
        worker: z.string(),
        state: runState,
        /** the call that started it */
        callId: id.nullable(),
      }),
    ),
    output: z.string().optional(),
    policyDigest: hash,
    input: json,
    /** files it was given with its task; `given`: their text was in its first message, else their name */
    attachments: z.array(z.object({ path: z.string(), bytes: z.int(), hash, given: z.boolean() })),
    model: z.string(),
    /** why the run ended, when somebody said so */
    endReason: z.string().nullable(),
    /** the run's page in Temporal's own user interface, when there is one */
    temporalUrl: z.string().nullable(),
    /** absolute path of the workspace; development profile only */
    workspaceRoot: z.string().nullable(),
    /** `call`: the worker may have tools that the caller can invoke */
    allowed: z.object({ message: z.boolean(), cancel: z.boolean(), call: z.boolean() }),
  })
  .meta({ id: 'RunDetail' })
export type RunDetail = z.infer<typeof runDetail>

export const messageBody = z.strictObject({ text: text(100_000).min(1) })
export const postedMessage = z.object({ messageId: id, runId: id, state: runState })
export type PostedMessage = z.infer<typeof postedMessage>
/** A manual tool and its input: an object, as the tool's schema says. */
export const callBody = z.strictObject({ tool: name, input: z.record(z.string(), json) })
export const invokedTool = z.object({
  callId: id,
  runId: id,
  tool: z.string(),
  verdict: z.enum(['preApproved', 'ask']),
  /** the request that somebody else decides, when the call asks */
  requestId: id.nullable(),
})
export type InvokedTool = z.infer<typeof invokedTool>
export const manualTools = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: z.record(z.string(), json),
    }),
  ),
})
export type ManualTools = z.infer<typeof manualTools>
export const startedRun = run
  .pick({ id: true, workflowId: true, worker: true, state: true, mode: true })
  .extend({ startedBy: person, createdAt: instant })
  .meta({ id: 'StartedRun' })
export type StartedRunView = z.infer<typeof startedRun>
export const cancelledRun = z.object({ id, state: runState })
export type CancelledRun = z.infer<typeof cancelledRun>
export const cancelRunBody = z.strictObject({ reason: reason.optional() })
