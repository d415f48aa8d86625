import { z } from 'zod'
import { id } from '../common.ts'
import * as example from '../examples.ts'

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
