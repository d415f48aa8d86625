import { z } from 'zod'
import { outputStates, restReasons, runStates } from '#domain/request.ts'
import { runModes } from '#domain/verdict.ts'
import { isolations } from '#domain/workspace-name.ts'
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
  wholeNumber,
  text,
} from '../common.ts'
import * as example from '../examples.ts'

export const runMode = z.enum(runModes)
export const runState = z.enum(runStates)
export type RunStateName = z.infer<typeof runState>

/** Text or an object; what the run is asked to do. */
const runInput = z.union([text(1_000_000).min(1), z.record(z.string(), json)], {
  error: 'must be text or an object',
})

/** What a run may use until somebody writes to it again; never above the limits of its worker. */
const runBudget = z.strictObject({
  turns: z.int().min(1).max(1_000_000_000).optional(),
  /** of input and output together */
  tokens: z.int().min(1).max(1_000_000_000).optional(),
  /** by the price of its model */
  costUsd: z.number().positive().max(1_000_000).optional(),
})

export const startRunBody = z
  .strictObject({
    worker: name,
    input: runInput,
    /** of those that the worker may work in; absent: the first of them */
    workspace: name.optional(),
    mode: runMode.optional(),
    /** paths in the workspace: files that the run is given with its task */
    attachments: z.array(text(1024).min(1)).max(50).optional(),
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

export const lineageEntry = z.object({
  runId: id,
  worker: z.string(),
  startedBy: person.nullable(),
})
export type LineageEntry = z.infer<typeof lineageEntry>

/** The run that a run was forked from, and the last turn that it took over. */
const forkedFrom = z.object({ runId: id, number: z.int(), turn: z.int() })

/** The workspace that a run works in. */
const runWorkspace = z.object({
  name: z.string(),
  isolation: z.enum(isolations),
  branch: z.string().optional().describe('of its worktree; the run commits to it'),
  base: z.string().optional().describe('the branch that it begins at and is merged into'),
  baseCommit: z.string().optional().describe('where that branch stood when the run started'),
})

/** What the root run was asked: its first message. */
const runTask = z.object({
  /** in a list at most 2,000 characters */
  text: z.string(),
  /** a person, or the key of a program; null: the service itself */
  by: z.object({ id: z.string(), name: z.string() }).nullable(),
  at: instant,
  /** messages that were posted after it */
  later: z.int(),
})

/** A pending request, of the run or of one below it, and who can decide it now. */
const waitsFor = z.object({
  requestId: id,
  number: z.int(),
  /** when it was asked */
  since: instant,
  people: z.array(person),
})

/** What its model steps used; `costUsd` is null when no step's model had a price. */
const runUsage = z.object({
  inputTokens: z.int(),
  cachedInputTokens: z.int(),
  outputTokens: z.int(),
  costUsd: z.number().nullable(),
})

const startedExample = {
  id: example.runId,
  number: 17,
  workflowId: `agent-run:${example.runId}`,
  worker: example.worker,
  state: 'running',
  mode: 'prompt',
  conversation: false,
  startedBy: example.ada,
  workspace: { name: 'default', isolation: 'none' },
  createdAt: example.askedAt,
}
const runExample = {
  ...startedExample,
  state: 'waiting_for_approval',
  endedAt: null,
  pendingRequests: 1,
  title: 'Write the notes of 1.2',
  scripted: false,
  usage: { inputTokens: 5210, cachedInputTokens: 4096, outputTokens: 312, costUsd: 0.0093 },
  task: { text: 'Write the notes of 1.2', by: example.ada, at: example.askedAt, later: 0 },
  waitsFor: [
    { requestId: example.requestId, number: 142, since: example.askedAt, people: [example.grace] },
  ],
}

export const run = z
  .object({
    id,
    /** short, for people; paths take either */
    number: z.int(),
    workflowId: z.string(),
    worker: z.string(),
    state: runState,
    mode: runMode,
    /** null: nobody, a trigger that names no person */
    startedBy: person.nullable(),
    /** what started it where no caller did: `trigger:NAME` or `schedule:NAME` */
    startedFrom: z.string().optional(),
    createdAt: instant,
    endedAt: instant.nullable(),
    pendingRequests: z.int(),
    /** the first line of what the run was asked, for lists */
    title: z.string(),
    /** the model is a script, not a model: said wherever the run is shown */
    scripted: z.boolean(),
    failure: runFailure.optional(),
    /** it rests after each answer and goes on with the next message */
    conversation: z.boolean(),
    /** what it rests after, while it waits for input; `answered`: a conversation that does */
    rest: z.enum(restReasons).optional(),
    /** when a resting conversation ends by itself */
    restsUntil: instant.optional(),
    budget: runBudget.optional(),
    forkedFrom: forkedFrom.optional(),
    workspace: runWorkspace,
    usage: runUsage,
    task: runTask.nullable(),
    waitsFor: z.array(waitsFor),
  })
  .meta({ id: 'Run', examples: [runExample] })
export type Run = z.infer<typeof run>
export const runList = listOf(run)

export const runDetail = run
  .extend({
    turns: z.int(),
    /**
     * the window of its model, in tokens: what it takes, and what the last model step and its
     * answer took
     */
    context: z.object({ limit: z.int(), used: z.int() }),
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
    /** of a run that has not ended: whose approvers are away, and until when */
    warnings: z.array(
      z.object({
        code: z.literal('approvers_away'),
        queue: z.string(),
        text: z.string(),
        until: instant,
      }),
    ),
    input: json,
    /**
     * files it was given with its task; `given`: their text was in its first message, else their
     * name
     */
    attachments: z.array(z.object({ path: z.string(), bytes: z.int(), hash, given: z.boolean() })),
    model: z.string(),
    /** why the run ended, when a person gave a reason */
    endReason: z.string().nullable(),
    /** the request that its start waits for, or waited for */
    startRequestId: id.optional(),
    /** the run's page in Temporal's own user interface, when there is one */
    temporalUrl: z.string().nullable(),
    /** absolute path of the workspace; development profile only */
    workspaceRoot: z.string().nullable(),
    /** `call`: the worker may have tools that the caller can invoke */
    allowed: z.object({
      message: z.boolean(),
      cancel: z.boolean(),
      close: z.boolean(),
      call: z.boolean(),
    }),
  })
  .meta({
    id: 'RunDetail',
    examples: [
      {
        ...runExample,
        turns: 1,
        lineage: [],
        children: [],
        policyDigest: example.otherDigest,
        warnings: [],
        input: 'Write the notes of 1.2',
        attachments: [],
        model: 'anthropic:claude-sonnet-5-5',
        endReason: null,
        context: { limit: 200_000, used: 18_240 },
        temporalUrl: null,
        workspaceRoot: null,
        allowed: { message: true, cancel: true, close: false, call: false },
      },
    ],
  })
export type RunDetail = z.infer<typeof runDetail>

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
  .strictObject({ text: text(100_000).min(1), budget: runBudget.optional() })
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
export const manualTools = z
  .object({
    items: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        inputSchema: z.record(z.string(), json),
      }),
    ),
  })
  .meta({
    examples: [
      {
        items: [
          { name: example.tool, description: 'Write a file', inputSchema: { type: 'object' } },
        ],
      },
    ],
  })
export type ManualTools = z.infer<typeof manualTools>
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
