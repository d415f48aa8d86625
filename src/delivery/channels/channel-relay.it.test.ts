import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { addRequest, addRun, type TestRun } from '../../../test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '../../../test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '../../../test/harness/fixtures/test-service.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/postgres.ts'
import { waitUntil } from '../../../test/harness/wait-until.ts'
import {
  openWebhookReceiver,
  type Received,
  type WebhookReceiver,
} from '../../../test/harness/webhook-receiver.ts'
import type { WebhookEndpoint } from '../../policy/policy.ts'
import type { ServiceContext } from '../../services/context.ts'
import { listDeliveries } from '../../services/webhooks/list-deliveries.ts'
import { listEndpoints } from '../../services/webhooks/list-endpoints.ts'
import { resendDelivery } from '../../services/webhooks/resend-delivery.ts'
import { writeRecords } from '../../store/records.ts'
import type { StreamEventType } from '../../domain/stream-event.ts'
import { EventSequencer } from '../event-sequencer.ts'
import { sendWebhook } from '../webhooks/send-webhook.ts'
import { webhookChannel } from '../webhooks/webhook-channel.ts'
import { readSecrets, webhookHeaders } from '../webhooks/webhook-secret.ts'
import type { Channel, DueDelivery, Message } from './channel.ts'
import { takeDue } from './due-deliveries.ts'
import { tellChannel } from './tell-channels.ts'
import { ChannelRelay, type RelayTimes } from './channel-relay.ts'

const publicUrl = 'https://countersign.example.com'
const secret = `whsec_${randomBytes(32).toString('base64')}`
const quick: RelayTimes = { pausesMs: [1, 1], timeoutMs: 60_000, leaseMs: 120_000, everyMs: 50 }
const within = { withinMs: 90_000 }

let database: TestDatabase
let service: TestService
let sequencer: EventSequencer
let run: TestRun
let olga: TestPerson
let ada: TestPerson
let aud: TestPerson
let receiver: WebhookReceiver
let position = 0

beforeAll(async () => {
  database = await createTestDatabase()
  service = await createTestService(database.db)
  ada = await addPerson(database.db, 'Ada', [])
  aud = await addPerson(database.db, 'Aud', ['auditors'])
  olga = await addPerson(database.db, 'Olga', ['operators'])
  run = await addRun(service, { startedBy: ada })
  const { log } = service.ctx
  sequencer = new EventSequencer({ db: database.db, databaseUrl: database.url, log })
})
afterAll(async () => {
  await sequencer[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})
beforeEach(async () => {
  receiver = await openWebhookReceiver()
})
afterEach(() => receiver[Symbol.asyncDispose]())

let named = 0

function endpoint(more: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
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

function channelOf(to: WebhookEndpoint, isDevelopment = true): Channel {
  const environment = { CHAT_SECRET: secret }
  return webhookChannel({ endpoint: to, publicUrl, isDevelopment, environment, allow: [] })
}

/** The service with these endpoints, each told from now on. */
async function configure(...endpoints: WebhookEndpoint[]): Promise<ServiceContext> {
  const { policy, ctx } = service
  const webhooks = { allow: [], endpoints: new Map(endpoints.map((one) => [one.name, one])) }
  const rights = { ...policy.config.rights, activatePolicy: [{ team: 'operators' }] }
  const config = { ...policy.config, rights, webhooks }
  const configured = { ...policy, digest: `of ${named}, ${endpoints.length}`, config }
  for (const one of endpoints) await tellChannel(database.db, channelOf(one))
  return { ...ctx, policies: { ...ctx.policies, inForce: async () => configured } }
}

function relayOf(
  { policies, log }: ServiceContext,
  more: { times?: RelayTimes; isDevelopment?: boolean; channels?: readonly Channel[] } = {},
): ChannelRelay {
  return new ChannelRelay({
    db: database.db,
    databaseUrl: database.url,
    log,
    policies,
    channelsOf: ({ config }) => [
      ...[...config.webhooks.endpoints.values()].map((one) => channelOf(one, more.isDevelopment)),
      ...(more.channels ?? []),
    ],
    times: more.times ?? quick,
  })
}

/** Whoever is configured after this is told of nothing that happened before. */
async function untilNumbered(): Promise<void> {
  await waitUntil(async () => {
    const waiting = await database.db
      .selectFrom('event')
      .select('id')
      .where('sequence', 'is', null)
      .execute()
    return waiting.length === 0
  }, within)
}

/** Opens a request, with its event of this type. */
async function happen(
  type: StreamEventType = 'request.opened',
  options: Parameters<typeof addRequest>[2] = {},
): Promise<string> {
  position += 1
  const request = await addRequest(service, run, { position, ...options })
  await database.db
    .transaction()
    .execute((tx) =>
      writeRecords(
        tx,
        { events: [{ type, subject: { requestId: request.id, runId: run.id } }] },
        null,
      ),
    )
  return request.id
}

async function newest(ctx: ServiceContext, { name }: WebhookEndpoint) {
  const { items } = await listDeliveries(ctx, olga.caller, { endpoint: name })
  return items[0] ?? null
}

async function untilState(ctx: ServiceContext, to: WebhookEndpoint, state: string): Promise<void> {
  await waitUntil(async () => {
    const delivery = await newest(ctx, to)
    return delivery?.state === state || `it is ${delivery?.state}: ${delivery?.lastError}`
  }, within)
}

function verified({ body, headers }: Received): {
  type: string
  data: Record<string, unknown>
} {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as never
}

// Rules: security.md 23
it('tells an endpoint once of a request, signed, with a link and nothing of the arguments', async () => {
  const to = endpoint()
  const ctx = await configure(to)
  await using _relay = relayOf(ctx)
  await using _other = relayOf(ctx)
  const input = { path: 'notes/plan.md', content: 'the content is nobody’s business' }
  const requestId = await happen('request.opened', { risk: 'high', input })
  await untilState(ctx, to, 'delivered')
  expect(receiver.received).toHaveLength(1)
  const [received] = receiver.received
  if (received === undefined) throw new Error('nothing came')
  expect(verified(received)).toMatchObject({
    specversion: '1.0',
    type: 'countersign.request.opened',
    source: publicUrl,
    subject: requestId,
    data: {
      requestId,
      number: expect.any(Number),
      queue: 'platform',
      risk: 'high',
      state: 'pending',
      title: 'Write "notes/plan.md"',
      runId: run.id,
      url: `${publicUrl}/requests/${requestId}`,
    },
  })
  expect(received.body).not.toContain('business')
  expect(received.path).toBe('/hook?for=us')
  expect(received.headers).toMatchObject({
    'content-type': 'application/cloudevents+json',
    'webhook-id': (await newest(ctx, to))?.id,
  })
})

it('tells of a command, a question and a program’s call that there is one, not what it is', async () => {
  const to = endpoint()
  const ctx = await configure(to)
  await using _relay = relayOf(ctx)
  const input = { path: 'token=of-somebody' }
  await happen('request.opened', { tool: 'shell', input })
  await happen('request.opened', { tool: 'ask_person', kind: 'question', input })
  await happen('request.opened', { tool: 'deploy', kind: 'external', input })
  await waitUntil(() => receiver.received.length === 3, within)
  const titles = receiver.received.map((one) => String(verified(one).data['title']))
  expect(new Set(titles)).toEqual(
    new Set(['A question for a person', 'Call deploy', 'Run a command']),
  )
  expect(JSON.stringify(receiver.received)).not.toContain('of-somebody')
})

it('tells an endpoint only of its events, in its queues, since it was configured', async () => {
  await happen()
  await untilNumbered()
  const elsewhere = endpoint({ queues: ['security'] })
  const closed = endpoint({ events: ['request.closed'], queues: ['platform'] })
  const ctx = await configure(elsewhere, closed)
  await using _relay = relayOf(ctx)
  await happen('request.opened')
  const wanted = await happen('request.closed')
  await untilState(ctx, closed, 'delivered')
  expect(receiver.received.map((one) => verified(one).data['requestId'])).toEqual([wanted])
  expect(await newest(ctx, elsewhere)).toBeNull()
})

// Rules: security.md 23
it('tries again after a failure and after silence, with the same id and body', async () => {
  const to = endpoint()
  const ctx = await configure(to)
  receiver.answer = (response, { headers }) => {
    // The first is refused, the second hangs, the third is taken.
    if (receiver.received.length === 1) response.writeHead(500).end()
    if (receiver.received.length > 2) response.writeHead(200).end(String(headers['webhook-id']))
  }
  await using _relay = relayOf(ctx, {
    times: { ...quick, pausesMs: Array(50).fill(1), timeoutMs: 1500 },
  })
  await happen()
  await untilState(ctx, to, 'delivered')
  const [first, second, third] = receiver.received
  expect(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size).toBe(1)
  expect([second?.body, third?.body]).toEqual([first?.body, first?.body])
  for (const one of receiver.received) verified(one)
})

it('gives up after the last attempt, shows it, and sends it again when somebody with the right says so', async () => {
  const to = endpoint()
  const ctx = await configure(to)
  receiver.answer = 503
  await using _relay = relayOf(ctx)
  await happen()
  await untilState(ctx, to, 'dead')
  const dead = await newest(ctx, to)
  expect(dead).toMatchObject({ attempts: 3, lastStatus: 503, lastError: 'it answered 503' })
  expect(await listEndpoints(ctx, olga.caller)).toMatchObject([{ name: to.name, dead: 1 }])
  const deliveryId = dead?.id ?? ''
  await expect(resendDelivery(ctx, ada.caller, { deliveryId })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(resendDelivery(ctx, aud.caller, { deliveryId })).rejects.toMatchObject({
    code: 'forbidden',
  })
  await expect(listDeliveries(ctx, ada.caller, {})).rejects.toMatchObject({ code: 'forbidden' })
  receiver.answer = 204
  await resendDelivery(ctx, olga.caller, { deliveryId })
  await untilState(ctx, to, 'delivered')
  expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(deliveryId)
  const audited = await database.db
    .selectFrom('audit_event')
    .select('document')
    .where('type', '=', 'webhook.resent')
    .execute()
  expect(audited.map(({ document }) => document)).toEqual([expect.stringContaining(deliveryId)])
})

it('gives up at once when the receiver says that it is gone', async () => {
  const to = endpoint()
  const ctx = await configure(to)
  receiver.answer = 410
  await using _relay = relayOf(ctx)
  await happen()
  await untilState(ctx, to, 'dead')
  expect(receiver.received).toHaveLength(1)
})

// Rules: security.md 23
it('follows no redirect', async () => {
  await using target = await openWebhookReceiver()
  const to = endpoint()
  const ctx = await configure(to)
  receiver.answer = (response) => response.writeHead(307, { location: target.url }).end()
  await using _relay = relayOf(ctx)
  await happen()
  await untilState(ctx, to, 'dead')
  expect((await newest(ctx, to))?.lastError).toContain('redirects are not followed')
  expect(target.received).toEqual([])
})

// Rules: security.md 23
it('connects to the very address that was checked, under the name that was configured', async () => {
  let asked = 0
  const outcome = await sendWebhook({
    url: `http://hooks.example.test:${receiver.port}/hook`,
    headers: {},
    body: '{}',
    allow: [],
    isDevelopment: true,
    timeoutMs: 60_000,
    stopping: new AbortController().signal,
    // A name that answers otherwise when it is asked again.
    resolve: async () => {
      asked += 1
      return asked === 1 ? ['127.0.0.1'] : ['10.0.0.7']
    },
  })
  expect([outcome, asked]).toEqual([{ status: 204, error: null }, 1])
  expect(receiver.received[0]?.headers.host).toBe(`hooks.example.test:${receiver.port}`)
})

it.each([
  ['a private address', 'https://10.0.0.7/'],
  ['http outside of the development profile', null],
])('sends nothing to %s, and says so', async (_what, url) => {
  const to = endpoint(url === null ? {} : { url })
  const ctx = await configure(to)
  await using _relay = relayOf(ctx, { isDevelopment: false })
  await happen()
  await untilState(ctx, to, 'dead')
  expect((await newest(ctx, to))?.lastError).toMatch(url === null ? /use https/ : /webhooks\.allow/)
  expect(receiver.received).toEqual([])
})

it('sends nothing unsigned: without its secret an endpoint waits', async () => {
  const to = endpoint({ secretFrom: 'NOT_SET' })
  const ctx = await configure(to)
  await using _relay = relayOf(ctx)
  await happen()
  await untilState(ctx, to, 'dead')
  expect((await newest(ctx, to))?.lastError).toContain('NOT_SET')
  expect(receiver.received).toEqual([])
})

it('sends again, with the same id, what a process sent that was killed before it could say so', async () => {
  const to = endpoint()
  const ctx = await configure(to)
  await happen()
  let taken: DueDelivery | undefined
  await waitUntil(async () => {
    await tellChannel(database.db, channelOf(to))
    taken = (
      await takeDue(database.db, {
        endpoint: to.name,
        most: 1,
        leaseMs: 500,
        perRecipient: 1,
        underWay: [],
      })
    )[0]
    return taken !== undefined
  }, within)
  if (taken === undefined) throw new Error('nothing was due')
  const { id, body } = taken
  const sent = await sendWebhook({
    url: to.url,
    headers: webhookHeaders(readSecrets(secret) ?? [], { id, at: new Date(), body }),
    body,
    allow: [],
    isDevelopment: true,
    timeoutMs: 60_000,
    stopping: new AbortController().signal,
  })
  expect(sent).toEqual({ status: 204, error: null })
  // The process that sent it is gone here: nobody recorded that it arrived.
  await using _relay = relayOf(ctx)
  await untilState(ctx, to, 'delivered')
  expect(receiver.received.map((one) => one.headers['webhook-id'])).toEqual([id, id])
  expect((await newest(ctx, to))?.attempts).toBe(2)
})

// Rules: security.md 23
it('delays nothing for a receiver that hangs, and asks it only four times at once', async () => {
  await using healthy = await openWebhookReceiver()
  const hanging = endpoint()
  const other = endpoint({ url: healthy.url })
  const ctx = await configure(hanging, other)
  receiver.answer = () => undefined
  await using _relay = relayOf(ctx)
  for (let place = 0; place < 12; place += 1) await happen()
  await waitUntil(() => healthy.received.length === 12, within)
  await waitUntil(() => receiver.received.length === 4, within)
  // Each endpoint is told of what was numbered when it was its turn: the last may come a round later.
  await waitUntil(async () => {
    const waiting = { endpoint: hanging.name, state: 'pending' } as const
    return (await listDeliveries(ctx, olga.caller, waiting)).items.length === 12
  }, within)
  expect(receiver.received).toHaveLength(4)
})

it('gives up what waits for an endpoint that is configured no more, and tells it nothing of the time between', async () => {
  const to = endpoint({ secretFrom: 'NOT_SET' })
  const ctx = await configure(to)
  const long = { ...quick, pausesMs: [3_600_000] }
  {
    await using _relay = relayOf(ctx, { times: long })
    await happen()
    await waitUntil(async () => (await newest(ctx, to))?.attempts === 1, within)
  }
  const without = await configure()
  await using _relay = relayOf(without, { times: long })
  await untilState(without, to, 'dead')
  await expect(
    resendDelivery(without, olga.caller, { deliveryId: (await newest(without, to))?.id ?? '' }),
  ).rejects.toMatchObject({ code: 'conflict' })
  await happen()
  await configure(to)
  const { items } = await listDeliveries(ctx, olga.caller, { endpoint: to.name })
  expect(items).toHaveLength(1)
})

/** A channel that tells two people of every request, and cannot reach Bob as often as this says. */
function twoPeople(failures: number, outcome: { isFinal?: boolean; retryAfterMs?: number } = {}) {
  named += 1
  const sent: DueDelivery[] = []
  const channel: Channel = {
    name: `email:${named}`,
    kind: 'email',
    events: ['request.opened'],
    queues: null,
    compose: async (_tx, { request }) =>
      ['ada', 'bob'].map((recipient): Message => ({ recipient, body: request?.id ?? '' })),
    send: async (due) => {
      sent.push(due)
      const failed = sent.filter(({ recipient }) => recipient === 'bob').length <= failures
      if (due.recipient !== 'bob' || !failed) return { status: null, error: null }
      return { status: null, error: 'Bob is away', ...outcome }
    },
  }
  return { channel, sent }
}

async function deliveriesOf(name: string) {
  const { items } = await listDeliveries(service.ctx, aud.caller, { endpoint: name })
  return items
}

it('tells each recipient of an event on its own, and asks again only who was not reached', async () => {
  const { channel, sent } = twoPeople(2)
  await untilNumbered()
  const ctx = await configure()
  await tellChannel(database.db, channel)
  await using _relay = relayOf(ctx, { channels: [channel] })
  const requestId = await happen()
  await waitUntil(async () => {
    const all = await deliveriesOf(channel.name)
    return all.length === 2 && all.every(({ state }) => state === 'delivered')
  }, within)
  const of = (recipient: string) => sent.filter((one) => one.recipient === recipient)
  expect(of('ada')).toMatchObject([{ body: requestId, requestId, type: 'request.opened' }])
  expect(of('bob').map(({ attempts }) => attempts)).toEqual([1, 2, 3])
  expect(await deliveriesOf(channel.name)).toEqual(
    expect.arrayContaining([expect.objectContaining({ kind: 'email', recipient: 'bob' })]),
  )
})

it('waits as long as a receiver asks, and gives up at once what will never be accepted', async () => {
  const asked = twoPeople(1, { retryAfterMs: 3_600_000 })
  const never = twoPeople(1, { isFinal: true })
  const channels = [asked.channel, never.channel]
  await untilNumbered()
  const ctx = await configure()
  for (const channel of channels) await tellChannel(database.db, channel)
  await using _relay = relayOf(ctx, { channels })
  const before = Date.now()
  await happen()
  const ofBob = async ({ name }: Channel) =>
    (await deliveriesOf(name)).find(({ recipient }) => recipient === 'bob')
  await waitUntil(async () => (await ofBob(never.channel))?.state === 'dead', within)
  await waitUntil(async () => (await ofBob(asked.channel))?.lastError === 'Bob is away', within)
  const waiting = await ofBob(asked.channel)
  expect(waiting).toMatchObject({ state: 'pending', attempts: 1 })
  expect(Number(waiting?.nextAttemptAt) - before).toBeGreaterThan(3_000_000)
})

it('keeps no other channel waiting for one that cannot say what it would tell', async () => {
  const broken = twoPeople(0)
  const healthy = twoPeople(0)
  const failing: Channel = {
    ...broken.channel,
    compose: async () => {
      throw new Error('it cannot say')
    },
  }
  await untilNumbered()
  const ctx = await configure()
  for (const channel of [failing, healthy.channel]) await tellChannel(database.db, channel)
  await using _relay = relayOf(ctx, { channels: [failing, healthy.channel] })
  await happen()
  await waitUntil(() => healthy.sent.length === 2, within)
  expect(await deliveriesOf(failing.name)).toEqual([])
})
