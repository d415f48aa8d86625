import { z } from 'zod'
import { approvalWords } from '#domain/policy/verdict.ts'
import { requestStates } from '#domain/requests/request.ts'
import {
  id,
  instant,
  json,
  listOf,
  page,
  person,
  queueName,
  shortNumber,
  text,
  toolName,
} from '../common.ts'
import * as example from '../examples.ts'
import { callTitle } from '../requests/request-parts.ts'
import { verdict } from '../runs/transcript.ts'

export const worker = z
  .object({
    name: z.string().describe('The name of its file, without `.md`'),
    description: z.string().describe('What it does, from its file'),
    model: z.string().describe('Provider and name, such as `anthropic:claude-sonnet-5-5`'),
    scripted: z.boolean().describe('Whether the worker plays a script instead of calling a model'),
    queue: z.string().nullable().describe('The queue of its calls; null: the default queue'),
    startable: z.boolean().describe('Whether the caller may start it'),
    conversation: z
      .boolean()
      .nullable()
      .describe('Whether its runs are conversations; null: the caller of `POST /v1/runs` chooses'),
    workspaces: z
      .array(z.string())
      .describe('The workspaces in which its runs may work; the first is the default'),
  })
  .meta({ id: 'Worker' })
export type Worker = z.infer<typeof worker>

/** A sentence about calls that a worker makes without approval, with approval, or never. */
const previewLine = z.object({
  approval: z
    .enum(approvalWords)
    .describe(
      'Whether such calls run without approval (`preApproved`), wait for people (`ask`), or never run',
    ),
  text: z.string().describe('One sentence'),
  place: z
    .string()
    .optional()
    .describe('The folder of the sentence, "" for the whole workspace; absent: no folder'),
  tools: z.array(z.string()).describe('The tools that the sentence is about'),
  reason: z.string().nullable().describe('What a refusal says; null: nothing'),
  source: z.string().nullable().describe('`file:line` of the rule'),
  queues: z.array(z.string()).describe('The queues in which such calls wait'),
})
export type PreviewLineView = z.infer<typeof previewLine>

/** A worker of the list; `lines` is present with `?lines=true`. */
export const listedWorker = worker.extend({
  lines: z.array(previewLine).optional().describe('What it may do; present with `?lines=true`'),
})
export type ListedWorker = z.infer<typeof listedWorker>
export const workersQuery = z.strictObject({
  ...page,
  lines: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: the answer says what each worker may do'),
})
export const workerList = listOf(listedWorker).extend({
  policyDigest: z.string().describe('Digest of the version in force'),
})

/** What a run of the worker could do if the caller started it now. */
const preview = z.object({
  lines: z.array(previewLine).describe('What its calls may do, one sentence each'),
  queues: z
    .array(
      z.object({
        name: queueName,
        quorum: z.string().describe('The approvals that are needed, such as `2 of platform`'),
        people: z
          .array(person)
          .describe('The people who can decide in this queue, without the principals of the run'),
        problem: z
          .string()
          .nullable()
          .describe('Why nobody can decide in this queue; null: somebody can'),
      }),
    )
    .describe('The queues in which its calls wait'),
  refusal: z
    .object({
      code: z.string().describe('The code of the problem'),
      detail: z.string().describe('The refusal as a sentence'),
    })
    .nullable()
    .describe('The refusal that the caller would get for starting the worker; null: none'),
})
export type StartPreviewView = z.infer<typeof preview>

export const workerDetail = worker
  .extend({
    digest: z.string().describe('Digest of its file'),
    instructions: z.string().describe('What the model reads, from the body of its file'),
    zones: z
      .array(
        z.object({
          name: z.string().describe('Name of the zone, from its file'),
          root: z.string().describe('Folder of the zone in the workspace'),
          mode: z.enum(['ro', 'rw']).describe('`ro`: read only; `rw`: read and write'),
          suffixes: z
            .array(z.string())
            .nullable()
            .describe('The file name endings that the zone covers; null: all files'),
          approval: z
            .record(z.string(), json)
            .describe('Approval by operation, such as `write`: `ask`'),
        }),
      )
      .describe('The folders in which it works'),
    tools: z.array(z.string()).describe('The names of its tools'),
    workers: z.array(z.string()).describe('The workers that it may call'),
    sandbox: z
      .object({
        required: z.boolean().describe('Whether it runs no commands without a working sandbox'),
        network: z
          .union([z.string(), z.array(z.string())])
          .describe('`none`, `allow`, or the domains that commands may reach'),
      })
      .nullable()
      .describe('The sandbox of its commands; null: it runs no commands'),
    limits: z.record(z.string(), json).describe('The limits of a run, by their keys in its file'),
    startableBy: z
      .array(z.string())
      .nullable()
      .describe('The teams whose members may start it; null: everybody who may start runs'),
    input: z
      .record(z.string(), json)
      .nullable()
      .describe('JSON Schema of the input of a run; null: a text or any object'),
    preview: preview.describe('What a run could do if the caller started it now'),
  })
  .meta({ id: 'WorkerDetail' })
export type WorkerDetail = z.infer<typeof workerDetail>

export const workerCallsQuery = z.strictObject({
  tools: text(2_000)
    .transform((names) => names.split(',').filter((name) => name !== ''))
    .describe('Names of tools, separated by commas'),
})
export const workerCalls = z
  .object({
    items: z
      .array(
        z.object({
          callId: id,
          runId: id,
          runNumber: shortNumber,
          tool: toolName,
          title: callTitle,
          verdict: verdict.describe('What policy said of it'),
          at: instant.describe('When the model made it'),
          request: z
            .object({
              number: shortNumber,
              state: z.enum(requestStates).describe('What has become of it'),
            })
            .nullable()
            .describe('The newest request of the call; null: nobody was asked'),
        }),
      )
      .describe('The calls, newest first'),
  })
  .meta({
    id: 'WorkerCalls',
    examples: [
      {
        items: [
          {
            callId: example.otherId,
            runId: example.runId,
            runNumber: 12,
            tool: 'write_file',
            title: 'Edit notes/1.2.md (+4 −1)',
            verdict: 'ask',
            at: example.askedAt,
            request: { number: 142, state: 'approved' },
          },
        ],
      },
    ],
  })
export type WorkerCalls = z.infer<typeof workerCalls>
