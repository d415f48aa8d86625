import { z } from 'zod'
import { id, person } from '../common.ts'
import * as example from '../examples.ts'
import { startedByName } from './schedules.ts'

/** The headers of Standard Webhooks. */
export const triggerHeaders = z.object({
  'webhook-id': z.string().optional(),
  'webhook-timestamp': z.string().optional(),
  'webhook-signature': z.string().optional(),
})

/** Whatever the sender sends; what is no object as JSON is text. */
export const triggerBody = z
  .looseObject({})
  .meta({ examples: [{ service: 'shop', version: '1.2.0' }] })

export const triggered = z
  .object({ runId: id, number: z.int() })
  .meta({ examples: [{ runId: example.runId, number: 12 }] })

export const trigger = z
  .object({
    name: z.string(),
    worker: z.string(),
    /** who starts its runs; null: nobody, or nobody with the address is known */
    as: person.nullable(),
    /** whether its runs rest after their answer */
    conversation: z.boolean(),
    /** where messages are posted to */
    url: z.string(),
    /** whether the service has a secret of it; without one it takes keys alone */
    hasSecret: z.boolean(),
    lastRun: startedByName.optional(),
  })
  .meta({
    id: 'Trigger',
    examples: [
      {
        name: 'deploys',
        worker: example.worker,
        as: null,
        conversation: false,
        url: 'https://countersign.example.com/v1/triggers/deploys',
        hasSecret: true,
        lastRun: { runId: example.runId, number: 12, state: 'completed', at: example.askedAt },
      },
    ],
  })
export type Trigger = z.infer<typeof trigger>
export const triggerList = z.object({ items: z.array(trigger) })
