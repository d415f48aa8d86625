import { z } from 'zod'
import { json, listOf } from '../common.ts'

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
  })
  .meta({ id: 'Worker' })
export type Worker = z.infer<typeof worker>
export const workerList = listOf(worker).extend({ policyDigest: z.string() })

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
    limits: z.record(z.string(), json),
    startableBy: z.array(z.string()).nullable(),
  })
  .meta({ id: 'WorkerDetail' })
export type WorkerDetail = z.infer<typeof workerDetail>
