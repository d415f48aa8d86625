import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import { openWebhookReceiver } from '#test/harness/webhook-receiver.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { publicUrl } from '../channels/channel-desk.fixture.ts'
import { createDeliveries } from '../channels/create-deliveries.ts'
import { sendWebhook } from './send-webhook.ts'
import {
  channelOf,
  configure,
  desk,
  endpointAt,
  newest,
  receiver,
  relayOf,
  untilState,
  useWebhookDesk,
  verified,
} from './webhook-desk.fixture.ts'

useWebhookDesk()

// Rules: security.md 23
it('notifies an endpoint once of a request, signed, with a link and without any argument', async () => {
  const to = endpointAt(receiver)
  const ctx = await configure(desk, to)
  await using _relay = relayOf(desk, ctx)
  await using _other = relayOf(desk, ctx)
  const input = { path: 'notes/plan.md', content: 'the content is nobody’s business' }
  const { id: requestId } = await desk.open('request.opened', { risk: 'high', input })
  await untilState(desk, ctx, to, 'delivered')
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
      runId: desk.run.id,
      url: `${publicUrl}/requests/${requestId}`,
    },
  })
  expect(received.body).not.toContain('business')
  expect(received.path).toBe('/hook?for=us')
  expect(received.headers).toMatchObject({
    'content-type': 'application/cloudevents+json',
    'webhook-id': (await newest(desk, ctx, to))?.id,
  })
})

it('names only the tool of a command, a question and a program’s call, and none of their words', async () => {
  const to = endpointAt(receiver)
  const ctx = await configure(desk, to)
  await using _relay = relayOf(desk, ctx)
  const input = { path: 'token=of-somebody' }
  await desk.open('request.opened', { tool: 'shell', input })
  await desk.open('request.opened', { tool: 'ask_person', kind: 'question', input })
  await desk.open('request.opened', { tool: 'deploy', kind: 'external', input })
  await waitUntil(() => receiver.received.length === 3)
  const titles = receiver.received.map((one) => String(verified(one).data['title']))
  expect(new Set(titles)).toEqual(
    new Set(['A question for a person', 'Call deploy', 'Run a command']),
  )
  expect(JSON.stringify(receiver.received)).not.toContain('of-somebody')
})

it('notifies an endpoint only of its own events, in its own queues, from its configuration on', async () => {
  await desk.open()
  await desk.untilNumbered()
  const elsewhere = endpointAt(receiver, { queues: ['security'] })
  const closed = endpointAt(receiver, { events: ['request.closed'], queues: ['platform'] })
  const ctx = await configure(desk, elsewhere, closed)
  await using _relay = relayOf(desk, ctx)
  await desk.open('request.opened')
  const { id: requestId } = await desk.open('request.closed')
  await untilState(desk, ctx, closed, 'delivered')
  expect(receiver.received.map((one) => verified(one).data['requestId'])).toEqual([requestId])
  expect(await newest(desk, ctx, elsewhere)).toBeNull()
})

// Rules: security.md 23
it('follows no redirect', async () => {
  await using target = await openWebhookReceiver()
  const to = endpointAt(receiver)
  const ctx = await configure(desk, to)
  receiver.answer = (response) => response.writeHead(307, { location: target.url }).end()
  await using _relay = relayOf(desk, ctx)
  await desk.open()
  await untilState(desk, ctx, to, 'dead')
  expect((await newest(desk, ctx, to))?.lastError).toContain('redirects are not followed')
  expect(target.received).toEqual([])
})

// Rules: security.md 23
it('connects to the address that was checked, under the configured name', async () => {
  let callCount = 0
  const outcome = await sendWebhook({
    url: `http://hooks.example.test:${receiver.port}/hook`,
    headers: {},
    body: '{}',
    allow: [],
    isDevelopment: true,
    timeoutMs: 60_000,
    stopping: new AbortController().signal,
    // A name that resolves to another address the second time.
    resolve: async () => {
      callCount += 1
      return callCount === 1 ? ['127.0.0.1'] : ['10.0.0.7']
    },
  })
  expect([outcome, callCount]).toEqual([{ status: 204, error: null }, 1])
  expect(receiver.received[0]?.headers.host).toBe(`hooks.example.test:${receiver.port}`)
})

it.each([
  ['a private address', 'https://10.0.0.7/'],
  ['http outside of the development profile', null],
])('sends nothing to %s, and records why', async (_what, url) => {
  const to = endpointAt(receiver, url === null ? {} : { url })
  const ctx = await configure(desk, to)
  await using _relay = relayOf(desk, ctx, { isDevelopment: false })
  await desk.open()
  await untilState(desk, ctx, to, 'dead')
  expect((await newest(desk, ctx, to))?.lastError).toMatch(
    url === null ? /use https/ : /webhooks\.allow/,
  )
  expect(receiver.received).toEqual([])
})

it('sends nothing unsigned: an endpoint without its secret waits', async () => {
  const to = endpointAt(receiver, { secretFrom: 'NOT_SET' })
  const ctx = await configure(desk, to)
  await using _relay = relayOf(desk, ctx)
  await desk.open()
  await untilState(desk, ctx, to, 'dead')
  expect((await newest(desk, ctx, to))?.lastError).toContain('NOT_SET')
  expect(receiver.received).toEqual([])
})

// Rules: security.md 29
it('signs no approval that only the row of the notification states', async () => {
  const to = endpointAt(receiver)
  const ctx = await configure(desk, to)
  const { id: requestId } = await desk.open('request.opened')
  await desk.untilNumbered()
  await createDeliveries(desk.service.ctx, channelOf(to))
  await sql`update delivery set body = replace(replace(body, '"pending"', '"approved"'),
    'request.opened', 'request.decided') where request_id = ${requestId}`.execute(desk.database.db)
  await setRows(desk.database.db, 'request', { id: requestId }, { state: 'approved' })
  await using _relay = relayOf(desk, ctx)
  await untilState(desk, ctx, to, 'dead')
  expect((await newest(desk, ctx, to))?.lastError).toBe('its rows were changed in the database')
  expect(receiver.received).toEqual([])
})
