import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import {
  openWebhookReceiver,
  type ReceivedNotification,
  type WebhookReceiver,
} from '#test/harness/webhook-receiver.ts'
import type { WebhookEndpoint } from '#policy/settings.ts'
import type { ServiceContext } from '#services/core/context.ts'
import { listDeliveries } from '#services/channels/webhooks/list-deliveries.ts'
import { openChannelDesk, publicUrl, type ChannelDesk } from '../channels/channel-desk.fixture.ts'
import type { NotificationChannel } from '../channels/channel.ts'
import { ChannelRelay, type RelayTimes } from '../channels/channel-relay.ts'
import { createDeliveries } from '../channels/create-deliveries.ts'
import { webhookChannel } from './webhook-channel.ts'

export const secret = `whsec_${randomBytes(32).toString('base64')}`
export const quick: RelayTimes = {
  pausesMs: [1, 1],
  timeoutMs: 60_000,
  leaseMs: 120_000,
  everyMs: 50,
}

export let desk: ChannelDesk
/** What the test's endpoint is sent; a fresh one for each test. */
export let receiver: WebhookReceiver

/** Opens a desk for a file of tests about webhooks, and a receiver for each of them. */
export function useWebhookDesk(): void {
  beforeAll(async () => {
    desk = await openChannelDesk()
  })
  afterAll(() => desk[Symbol.asyncDispose]())
  beforeEach(async () => {
    receiver = await openWebhookReceiver()
  })
  afterEach(() => receiver[Symbol.asyncDispose]())
}

let named = 0

/** An endpoint at a receiver, under a name of its own. */
export function endpointAt(
  receiver: WebhookReceiver,
  more: Partial<WebhookEndpoint> = {},
): WebhookEndpoint {
  named += 1
  return {
    name: `endpoint-${named}`,
    url: receiver.url,
    events: ['request.opened'],
    queues: null,
    secretFrom: 'CHAT_SECRET',
    source: 'countersign.yaml:1',
    ...more,
  }
}

export function channelOf(to: WebhookEndpoint, isDevelopment = true): NotificationChannel {
  const environment = { CHAT_SECRET: secret }
  const { db, ctx } = desk.service
  const options = { db, seals: ctx.seals, publicUrl, isDevelopment, environment, allow: [] }
  return webhookChannel({ endpoint: to, ...options })
}

/** The desk's service with these endpoints, notified from now on; Olga may send again. */
export async function configure(
  desk: ChannelDesk,
  ...endpoints: WebhookEndpoint[]
): Promise<ServiceContext> {
  const { policy, ctx } = desk.service
  const webhooks = { allow: [], endpoints: new Map(endpoints.map((one) => [one.name, one])) }
  const rights = { ...policy.config.rights, activatePolicy: [{ team: 'operators' }] }
  const config = { ...policy.config, rights, webhooks }
  const configured = { ...policy, digest: `of ${named}, ${endpoints.length}`, config }
  for (const one of endpoints) await createDeliveries(desk.service.ctx, channelOf(one))
  return { ...ctx, policies: { ...ctx.policies, inForce: async () => configured } }
}

/** A relay of the configured endpoints, and of other channels beside them. */
export function relayOf(
  { database }: ChannelDesk,
  { policies, log, seals }: ServiceContext,
  more: {
    times?: RelayTimes
    isDevelopment?: boolean
    channels?: readonly NotificationChannel[]
  } = {},
): ChannelRelay {
  return new ChannelRelay({
    db: database.db,
    databaseUrl: database.url,
    seals,
    log,
    policies,
    channelsOf: ({ config }) => [
      ...[...config.webhooks.endpoints.values()].map((one) => channelOf(one, more.isDevelopment)),
      ...(more.channels ?? []),
    ],
    times: more.times ?? quick,
  })
}

export async function newest(
  { olga }: ChannelDesk,
  ctx: ServiceContext,
  { name }: WebhookEndpoint,
) {
  const { items } = await listDeliveries(ctx, olga.caller, { endpoint: name })
  return items[0] ?? null
}

export async function untilState(
  desk: ChannelDesk,
  ctx: ServiceContext,
  to: WebhookEndpoint,
  state: string,
): Promise<void> {
  await waitUntil(async () => {
    const delivery = await newest(desk, ctx, to)
    return delivery?.state === state || `it is ${delivery?.state}: ${delivery?.lastError}`
  })
}

/** The notifications, once Standard Webhooks' library has verified their signatures. */
export function verified({ body, headers }: ReceivedNotification): {
  type: string
  data: Record<string, unknown>
} {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as never
}
