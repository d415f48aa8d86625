import { z } from 'zod'
import { deliveryStates } from '#domain/channels/delivery-state.ts'
import { channelKinds } from '#domain/channels/channel-kind.ts'
import { streamEvents } from '#domain/channels/stream-event.ts'
import { id, instant, listOf, name, page } from '../common.ts'

const deliveryState = z.enum(deliveryStates)

const webhookEndpoint = z
  .object({
    name: z.string(),
    kind: z.enum(channelKinds),
    /** scheme, host and port; the rest of an address may be secret */
    origin: z.string(),
    events: z.array(z.enum(streamEvents)),
    /** null: all */
    queues: z.array(z.string()).nullable(),
    pending: z.int(),
    dead: z.int(),
  })
  .meta({ id: 'WebhookEndpoint' })
export const endpointList = z.object({ items: z.array(webhookEndpoint) })

const delivery = z
  .object({
    /** the `webhook-id`, the same at every attempt */
    id,
    endpoint: z.string(),
    kind: z.enum(channelKinds),
    /** of several that an endpoint tells */
    recipient: z.string().nullable(),
    type: z.string(),
    requestId: id.nullable(),
    /** `dead`: given up after the last attempt; it may be sent again */
    state: deliveryState,
    attempts: z.int(),
    nextAttemptAt: instant.nullable(),
    /** of the newest attempt; null when nobody answered */
    lastStatus: z.int().nullable(),
    lastError: z.string().nullable(),
    createdAt: instant,
    endedAt: instant.nullable(),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof delivery>
export const deliveryList = listOf(delivery)
export type WebhookDeliveryList = z.infer<typeof deliveryList>
export const deliveryQuery = z.strictObject({
  ...page,
  endpoint: name.optional(),
  state: deliveryState.optional(),
  /** only callbacks to programs with one's own keys */
  mine: z.enum(['true', 'false']).optional(),
})
export const resent = z.object({ resent: z.literal(true) })
