import { z } from 'zod'
import { approvalWords } from '#domain/policy/verdict.ts'
import { json, listOf, page, person } from '../common.ts'

export const worker = z
  .object({
    name: z.string(),
    description: z.string(),
    model: z.string(),
    /** plays a script instead of asking a model: said wherever it is shown */
    scripted: z.boolean(),
    queue: z.string().nullable(),
    /** the caller may start it */
    startable: z.boolean(),
    /** whether its runs are conversations; null: whoever starts one says */
    conversation: z.boolean().nullable(),
    /** that its runs may work in; the first when the start names none */
    workspaces: z.array(z.string()),
  })
  .meta({ id: 'Worker' })
export type Worker = z.infer<typeof worker>

/** One thing that a worker does alone, asks for or never does. */
const previewLine = z.object({
  approval: z.enum(approvalWords),
  /** one sentence */
  text: z.string(),
  /** the folder that it speaks of, "" for the whole workspace; absent: no folder */
  place: z.string().optional(),
  tools: z.array(z.string()),
  reason: z.string().nullable(),
  /** `file:line` of the rule */
  source: z.string().nullable(),
  /** the queues that are asked, when it asks */
  queues: z.array(z.string()),
})
export type PreviewLineView = z.infer<typeof previewLine>

/** `lines`: with `?lines=true`, what each worker does alone, asks and never does */
export const listedWorker = worker.extend({ lines: z.array(previewLine).optional() })
export type ListedWorker = z.infer<typeof listedWorker>
export const workersQuery = z.strictObject({ ...page, lines: z.enum(['true', 'false']).optional() })
export const workerList = listOf(listedWorker).extend({ policyDigest: z.string() })

/** What a run of the worker would do alone, ask and never do, were the caller to start it now. */
const preview = z.object({
  lines: z.array(previewLine),
  queues: z.array(
    z.object({
      name: z.string(),
      quorum: z.string(),
      /** who could decide there; nobody who would stand behind the run */
      people: z.array(person),
      /** why nobody could decide there */
      problem: z.string().nullable(),
    }),
  ),
  /** what a start by the caller would be refused with */
  refusal: z.object({ code: z.string(), detail: z.string() }).nullable(),
})
export type StartPreviewView = z.infer<typeof preview>

export const workerDetail = worker
  .extend({
    digest: z.string(),
    instructions: z.string(),
    zones: z.array(
      z.object({
        name: z.string(),
        root: z.string(),
        mode: z.enum(['ro', 'rw']),
        suffixes: z.array(z.string()).nullable(),
        approval: z.record(z.string(), json),
      }),
    ),
    tools: z.array(z.string()),
    /** the workers that it may call */
    workers: z.array(z.string()),
    /** what its commands run in; null: it runs none */
    sandbox: z
      .object({
        /** without a working sandbox it runs no command */
        required: z.boolean(),
        /** none, allow, or the domains that commands may reach */
        network: z.union([z.string(), z.array(z.string())]),
      })
      .nullable(),
    limits: z.record(z.string(), json),
    startableBy: z.array(z.string()).nullable(),
    /** JSON Schema of what a run is started with; `null`: text or any object */
    input: z.record(z.string(), json).nullable(),
    preview,
  })
  .meta({ id: 'WorkerDetail' })
export type WorkerDetail = z.infer<typeof workerDetail>
