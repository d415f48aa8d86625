import { z } from 'zod'
import { deliveryStates } from '#domain/channels/delivery-state.ts'
import { channelKinds } from '#domain/channels/channel-kind.ts'
import { streamEvents } from '#domain/channels/stream-event.ts'
import { acknowledgementOf, id, instant, listOf, name, page, wholeListOf } from '../common.ts'

const deliveryState = z
  .enum(deliveryStates)
  .describe('`dead`: the last attempt failed; the delivery can be resent')
const channelKind = z.enum(channelKinds).describe('The way in which it is notified')

const webhookEndpoint = z
  .object({
    name: z.string().describe('Name of the webhook, or such as `slack:NAME`'),
    kind: channelKind,
    origin: z
      .string()
      .describe('Scheme, host and port of the address; the rest may be secret and is not returned'),
    events: z.array(z.enum(streamEvents)).describe('The events of which it is notified'),
    queues: z
      .array(z.string())
      .nullable()
      .describe('The queues about which it is notified; null: all'),
    pending: z.int().describe('Deliveries that wait for an attempt'),
    dead: z.int().describe('Deliveries whose last attempt failed'),
    gone: z
      .boolean()
      .describe(
        'Its receiver answered `410`: it gets no more until its address changes, or a delivery is resent',
      ),
  })
  .meta({ id: 'WebhookEndpoint' })
export const endpointList = wholeListOf(webhookEndpoint)

const delivery = z
  .object({
    id: id.describe('The `webhook-id`, which is the same at every attempt'),
    endpoint: z.string().describe('Name of the webhook'),
    kind: channelKind,
    recipient: z.string().nullable().describe('The recipient, if the endpoint notifies several'),
    type: z.string().describe('Type of the event'),
    requestId: id.nullable().describe('Id of the request of the event; null: it is about none'),
    state: deliveryState,
    attempts: z.int().describe('The number of attempts so far'),
    nextAttemptAt: instant.nullable().describe('null: there will be none'),
    lastStatus: z.int().nullable().describe('HTTP status of the newest attempt; null: no answer'),
    lastError: z.string().nullable().describe('Why the newest attempt failed; null: it did not'),
    createdAt: instant,
    endedAt: instant.nullable().describe('When it was delivered or given up; null: neither yet'),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof delivery>
export const deliveryList = listOf(delivery)
export type WebhookDeliveryList = z.infer<typeof deliveryList>
export const deliveryQuery = z.strictObject({
  ...page,
  endpoint: name.optional().describe('Name of a webhook'),
  state: deliveryState.optional(),
  mine: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: only callbacks to programs with the caller’s own keys'),
})
export const resent = acknowledgementOf('resent')
