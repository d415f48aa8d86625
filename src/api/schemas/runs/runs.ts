import { z } from 'zod'
import { requestKinds, restReasons, runStates } from '#domain/requests/request.ts'
import { runModes } from '#domain/policy/verdict.ts'
import { isolations } from '#domain/tools/workspace-name.ts'
import {
  bytes,
  email,
  hash,
  id,
  instant,
  json,
  listOf,
  name,
  page,
  person,
  queueName,
  shortNumber,
  workerName,
} from '../common.ts'
import * as example from '../examples.ts'

export const runMode = z.enum(runModes)
export const runState = z
  .enum(runStates)
  .describe('The state of the run; `completed`, `failed` and `cancelled` are final')
export const modeText =
  'What happens to a call that asks: `prompt` asks people, `strict` denies it, `approve_all` approves it'
export type RunStateName = z.infer<typeof runState>

/** What a run may use until its next message. Values above the limits of its worker are refused. */
export const runBudget = z.strictObject({
  turns: z.int().min(1).max(1_000_000_000).optional().describe('Model steps'),
  tokens: z.int().min(1).max(1_000_000_000).optional().describe('Input and output tokens together'),
  costUsd: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe('US dollars, by the price of its model'),
})

export const runsQuery = z.strictObject({
  ...page,
  state: runState.optional(),
  worker: name.optional().describe('Name of a worker'),
  startedBy: z
    .union([z.literal('me'), id, email], { error: 'must be me, an id or an address' })
    .optional()
    .describe('`me`, or the id or e-mail address of a person'),
  activeFrom: instant
    .optional()
    .describe('With a model step at this time or later, at most 92 days before `activeTo`'),
  activeTo: instant.optional().describe('With a model step before this time; needs `activeFrom`'),
})
const runFailure = z.object({
  code: z.string().describe('A stable code, for programs'),
  message: z.string().describe('The failure as a sentence, for people'),
})

export const lineageEntry = z.object({
  runId: id,
  worker: workerName,
  startedBy: person
    .nullable()
    .describe('null: the run above it called the worker, or a trigger started it'),
})

/** The run from which this run was forked. */
const forkedFrom = z.object({
  runId: id.describe('Id of that run'),
  number: shortNumber,
  turn: z.int().describe('The last turn that was taken over'),
})

const runWorkspace = z.object({
  name: z.string().describe('Name of the workspace, from countersign.yaml'),
  isolation: z
    .enum(isolations)
    .describe('`worktree`: the run works in a Git worktree and on a branch of its own'),
  branch: z.string().optional().describe('The branch of its worktree, to which it commits'),
  base: z
    .string()
    .optional()
    .describe('The branch from which it starts and into which it is merged'),
  baseCommit: z.string().optional().describe('The commit of that branch when the run started'),
  discardedAt: instant.optional().describe('When a person discarded its worktree'),
  removedAt: instant.optional().describe('When its worktree was removed'),
})

/** The task of the root run: its first message. */
const runTask = z.object({
  text: z.string().describe('In a list, the first 4,000 characters'),
  by: z
    .object({
      id: z.string().describe('Id of the person or key'),
      name: z.string().describe('Name of the person or key'),
    })
    .nullable()
    .describe('A person, or the key of a program; null: the service itself'),
  at: instant.describe('When it was posted'),
  later: z.int().describe('The number of messages after it'),
})

/** A pending request of the run or of a run below it, and who can decide it. */
const waitsFor = z.object({
  requestId: id,
  runId: id.describe('The run that opened it: the run itself, or one below it'),
  number: shortNumber,
  kind: z.enum(requestKinds).describe('A question is answered, an outcome check is settled'),
  since: instant.describe('When the request was opened'),
  expiresAt: instant.describe('Its deadline'),
  effect: z
    .string()
    .describe(
      'What it would do, in one sentence; of a question and of an outcome check, its title',
    ),
  people: z
    .array(
      person.extend({
        awayUntil: instant.nullable(),
        fillsPlace: z
          .boolean()
          .describe('Whether an approval of theirs fills a place of the quorum that is open'),
      }),
    )
    .describe('The people who can decide it now; `awayUntil`: the end of their absence'),
})

/** What the model steps of a run used. */
const runUsage = z.object({
  inputTokens: z.int().describe('Tokens of all prompts, with those from the cache'),
  cachedInputTokens: z
    .int()
    .describe('The part of `inputTokens` that the provider read from its cache'),
  outputTokens: z.int().describe('Tokens of all answers'),
  costUsd: z
    .number()
    .nullable()
    .describe('In US dollars, by the prices in countersign.yaml; null: no model has a price'),
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
  task: { text: 'Write the notes of 1.2', by: example.ada, at: example.askedAt, later: 0 },
  usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null },
  waitsFor: [],
}
const runExample = {
  ...startedExample,
  state: 'waiting_for_approval',
  endedAt: null,
  pendingRequests: 1,
  title: 'Write the notes of 1.2',
  scripted: false,
  usage: { inputTokens: 5210, cachedInputTokens: 4096, outputTokens: 312, costUsd: 0.0093 },
  waitsFor: [
    {
      requestId: example.requestId,
      runId: example.runId,
      number: 142,
      kind: 'tool_call' as const,
      since: example.askedAt,
      expiresAt: example.expiresAt,
      effect: 'Change docs/notes.md: 2 lines added',
      people: [{ ...example.grace, awayUntil: null, fillsPlace: true }],
    },
  ],
}

export const run = z
  .object({
    id,
    number: shortNumber,
    workflowId: z.string().describe('Id of its workflow in Temporal'),
    worker: workerName,
    state: runState,
    mode: runMode.describe(modeText),
    startedBy: person.nullable().describe('null: a trigger without a person'),
    startedFrom: z
      .string()
      .optional()
      .describe(
        'What started the run, if no caller did: `trigger:NAME` or `schedule:NAME`. A fork that repeats the task of a trigger has that trigger',
      ),
    createdAt: instant.describe('When it was started'),
    endedAt: instant.nullable().describe('When it ended; null: it has not'),
    pendingRequests: z.int().describe('Requests of this run that wait for people'),
    title: z.string().describe('The first line of the task, for lists'),
    scripted: z.boolean().describe('Whether a script takes the place of the model'),
    failure: runFailure.optional().describe('Why it failed; absent: it did not'),
    conversation: z
      .boolean()
      .describe('Whether the run waits for the next message after each answer'),
    rest: z
      .enum(restReasons)
      .optional()
      .describe('Why the run waits for input; `answered`: a conversation after its answer'),
    restsUntil: instant
      .optional()
      .describe('When a conversation that rests ends by itself; absent: it does not'),
    budget: runBudget
      .optional()
      .describe('What it may use until its next message; absent: the limits of its worker'),
    forkedFrom: forkedFrom
      .optional()
      .describe('The run whose transcript it continues; absent: none'),
    workspace: runWorkspace.describe('The folder in which it works'),
    usage: runUsage.describe('What its model steps have used so far'),
    task: runTask.nullable().describe('The first message of the root run; null: it was erased'),
    waitsFor: z
      .array(waitsFor)
      .describe('The pending requests of the run and of the runs below it'),
  })
  .meta({ id: 'Run', examples: [runExample] })
export type Run = z.infer<typeof run>
export const runList = listOf(run)

export const runDetail = run
  .extend({
    turns: z.int().describe('The number of model steps so far'),
    context: z
      .object({ limit: z.int().describe('In tokens'), used: z.int().describe('In tokens') })
      .describe(
        'The context window of the model in tokens, and what the last step and its answer used',
      ),
    lineage: z.array(lineageEntry).describe('The runs from the root down to this one'),
    children: z
      .array(
        z.object({
          runId: id,
          worker: workerName,
          state: runState,
          callId: id.nullable().describe('Id of the call that started this child run'),
        }),
      )
      .describe('The runs that its calls started'),
    output: z.string().optional().describe('Its last answer; absent: there is none yet'),
    policyDigest: hash.describe('Digest of the version of the policy that it works under'),
    warnings: z
      .array(
        z.object({
          code: z.literal('approvers_away').describe('A stable code, for programs'),
          queue: queueName,
          text: z
            .string()
            .describe(
              'The warning as a sentence, for people; the same for all queues that wait for the same people',
            ),
          until: instant.describe('When the first of them is back'),
        }),
      )
      .describe('Approvers of the run who are away, and until when; empty once the run has ended'),
    input: json.describe(
      'What it was started with: a text, or an object of the worker’s `input` schema',
    ),
    attachments: z
      .array(
        z.object({
          path: z.string().describe('Path in the workspace'),
          bytes,
          hash,
          given: z
            .boolean()
            .describe('Whether the first message has its text; false: only its name'),
        }),
      )
      .describe('Files that were attached to the task'),
    model: z.string().describe('Provider and name, such as `anthropic:claude-sonnet-5-5`'),
    endReason: z
      .string()
      .nullable()
      .describe('The reason that a person gave for the end of the run'),
    startRequestId: id.optional().describe('The request that approves the start of the run'),
    temporalUrl: z
      .string()
      .nullable()
      .describe('The page of the run in Temporal’s user interface; null: there is none'),
    workspaceRoot: z
      .string()
      .nullable()
      .describe('Absolute path of the workspace; null outside the development profile'),
    allowed: z
      .object({
        message: z.boolean().describe('Post a message'),
        cancel: z.boolean().describe('Cancel the run'),
        close: z.boolean().describe('Complete the conversation'),
        discard: z.boolean().describe('Remove the worktree'),
        call: z.boolean().describe('Invoke manual tools, if the worker has any'),
      })
      .describe('What the caller may do now'),
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
