import { z } from 'zod'
import { restReasons, runStates } from '#domain/requests/request.ts'
import { runModes } from '#domain/policy/verdict.ts'
import { isolations } from '#domain/tools/workspace-name.ts'
import { email, hash, id, instant, json, listOf, name, page, person } from '../common.ts'
import * as example from '../examples.ts'

export const runMode = z.enum(runModes)
export const runState = z.enum(runStates)
export type RunStateName = z.infer<typeof runState>

/** What a run may use until somebody writes to it again; never above the limits of its worker. */
export const runBudget = z.strictObject({
  turns: z.int().min(1).max(1_000_000_000).optional(),
  /** of input and output together */
  tokens: z.int().min(1).max(1_000_000_000).optional(),
  /** by the price of its model */
  costUsd: z.number().positive().max(1_000_000).optional(),
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

/** The run that a run was forked from, and the last turn that it took over. */
export const forkedFrom = z.object({ runId: id, number: z.int(), turn: z.int() })

/** The workspace that a run works in. */
const runWorkspace = z.object({
  name: z.string(),
  isolation: z.enum(isolations),
  branch: z.string().optional().describe('of its worktree; the run commits to it'),
  base: z.string().optional().describe('the branch that it begins at and is merged into'),
  baseCommit: z.string().optional().describe('where that branch stood when the run started'),
  discardedAt: instant.optional().describe('when somebody had its worktree removed'),
  removedAt: instant.optional().describe('when its worktree was removed'),
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

export const startedExample = {
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
      discard: z.boolean(),
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
        allowed: { message: true, cancel: true, close: false, discard: false, call: false },
      },
    ],
  })
export type RunDetail = z.infer<typeof runDetail>
