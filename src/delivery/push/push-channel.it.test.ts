import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { sql } from 'kysely'
import { beforeEach, expect, it, onTestFinished, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openPushService } from '#test/harness/fixtures/push-service.ts'
import { textsOf, withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { testPushKey } from '#test/harness/fixtures/keys/push-key.ts'
import { sealRows } from '#test/harness/fixtures/keys/test-keys.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { sealedTables } from '#domain/statements/sealed-tables.ts'
import { hashToken, newToken } from '#services/access/token.ts'
import { endNamedSession } from '#services/access/sessions/end-sessions.ts'
import { sessionTimes } from '#services/access/sessions/session-times.ts'
import { switchPerson } from '#services/access/sign-in/sign-in-for-development.ts'
import { choosePush, type PushChoice } from '#services/channels/push/choose-push.ts'
import { listDevices } from '#services/channels/push/list-devices.ts'
import { pushEndpoint } from '#services/channels/push/push-subscription.ts'
import { subscribeDevice } from '#services/channels/push/subscribe-device.ts'
import { handOverRequest } from '#services/requests/hand-over-request.ts'
import { createDeliveries } from '../channels/create-deliveries.ts'
import { ChannelRelay } from '../channels/channel-relay.ts'
import type { NotificationChannel } from '../channels/channel.ts'
import { openChannelDesk, publicUrl } from '../channels/channel-desk.fixture.ts'
import { resolveHost, type Resolve } from '../webhooks/find-target.ts'
import { quick } from '../webhooks/webhook-desk.fixture.ts'
import { pushChannel } from './push-channel.ts'
import { sendTestPush } from './send-test-push.ts'

const desk = disposeAfterTests(await openChannelDesk())
const service = disposeAfterTests(await openPushService())
const { ctx } = desk.service
const { db, url: databaseUrl } = desk.database
const channel = channelOf()
await createDeliveries(ctx, channel)
const { log, policies, seals } = ctx
disposeAfterTests(
  new ChannelRelay({
    db,
    databaseUrl,
    seals,
    log,
    policies,
    times: quick,
    channelsOf: () => [channel],
  }),
)
beforeEach(async () => {
  service.answer = 201
  service.received.length = 0
  await desk.database.db.deleteFrom('push_subscription').execute()
  await desk.database.db.deleteFrom('push_choice').execute()
})

function channelOf(more: { isDevelopment?: boolean; resolve?: Resolve } = {}): NotificationChannel {
  return pushChannel({
    ctx: desk.service.ctx,
    key: testPushKey,
    times: sessionTimes,
    publicUrl,
    allow: [],
    isDevelopment: true,
    ...more,
  })
}

/** Somebody's browser, signed in and subscribed. */
async function aDevice(person: TestPerson, more: { readonly endpoint?: string } = {}) {
  const { token } = await switchPerson(desk.service.ctx, {
    email: `${person.name.toLowerCase()}@example.com`,
    channel: 'dashboard',
    times: sessionTimes,
    replacesToken: null,
    device: 'Chrome on Android',
    proofHash: hashToken(newToken()),
  })
  const { id: sessionId } = await rowOf(desk.database.db, 'session', {
    token_hash: hashToken(token),
  })
  const target = { ...service.subscribe(testPushKey.publicKey), ...more }
  const input = { sessionId, target }
  const device = await subscribeDevice(desk.service.ctx, person.caller, input)
  return { ...device, target }
}

/** The state of the delivery of a request to a device. */
async function outcomeFor(deviceId: string, requestId: string): Promise<string> {
  const row = await desk.database.db
    .selectFrom('delivery')
    .select(['state', 'last_error', 'last_status'])
    .where('endpoint', '=', pushEndpoint)
    .where('recipient', '=', deviceId)
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  return row === undefined ? 'none' : `${row.state}: ${row.last_error ?? row.last_status}`
}

/** Creates the deliveries of all events so far, by the present choices. */
async function untilTold(): Promise<void> {
  await desk.untilNumbered()
  await waitUntil(async () => {
    const { rows } = await sql<{ told: boolean }>`
      select told_until = (select max(sequence) from event) as told
      from endpoint where name = ${pushEndpoint}`.execute(desk.database.db)
    return rows[0]?.told === true
  })
}

async function untilEnded(deviceId: string, requestId: string): Promise<string> {
  let outcome = ''
  await waitUntil(async () => {
    outcome = await outcomeFor(deviceId, requestId)
    return /^(delivered|dead)/.test(outcome) || `it is ${outcome}`
  })
  return outcome
}

// Rules: security.md 22, 25
it('pushes only ids, encrypted for the browser, to those who may decide and to nobody else', async () => {
  const grace = await aDevice(desk.grace)
  const [ada, olga] = [await aDevice(desk.ada), await aDevice(desk.olga)]
  const request = await desk.open('request.opened', { risk: 'high' })
  expect(await untilEnded(grace.id, request.id)).toBe('delivered: 201')
  const [message] = service.received
  expect(JSON.parse(message?.text ?? '')).toEqual({
    requestId: request.id,
    number: expect.any(Number),
  })
  expect(message?.path).toBe(new URL(grace.endpoint).pathname)
  expect(message?.claims).toMatchObject({
    aud: service.origin,
    sub: publicUrl,
  })
  expect(message?.headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    topic: request.id.replaceAll('-', ''),
    urgency: 'high',
  })
  expect(service.received).toHaveLength(1)
  for (const other of [ada, olga]) expect(await outcomeFor(other.id, request.id)).toBe('none')
})

it('pushes the end to the starter, and pushes no request that has ended meanwhile', async () => {
  const [ada, grace] = [await aDevice(desk.ada), await aDevice(desk.grace)]
  const request = await desk.add()
  await sql`update request set state = 'cancelled' where id = ${request.id}`.execute(
    desk.database.db,
  )
  await sealRows(desk.database.db, 'request', 'id', request.id)
  await desk.happen('request.opened', request.id)
  await desk.happen('request.closed', request.id)
  expect(await untilEnded(ada.id, request.id)).toBe('delivered: 201')
  expect(await outcomeFor(grace.id, request.id)).toBe('none')
})

it('takes one query for many events while nobody has a device', async () => {
  const queries: LoggedQuery[] = []
  await using db = withQueryLog(desk.database.url, queries)
  const channel = { ...channelOf(), name: 'counted' }
  const hasTold = async (): Promise<boolean> => {
    await createDeliveries({ db, seals: desk.service.ctx.seals }, channel)
    const { rows } = await sql<{ told: boolean }>`
      select told_until = (select max(sequence) from event) as told
      from endpoint where name = ${channel.name}`.execute(desk.database.db)
    return rows[0]?.told === true
  }
  // The relay has been here, which retires endpoints that it does not know when it starts.
  await desk.open()
  await untilTold()
  await waitUntil(hasTold)
  for (const _ of Array(3)) await desk.open()
  await desk.untilNumbered()
  queries.length = 0
  await waitUntil(hasTold)
  expect(queries.length, textsOf(queries)).toBe(1)
})

it('does not push what happened before the first device, and pushes what comes after it', async () => {
  const before = await desk.open()
  await untilTold()
  const device = await aDevice(desk.grace)
  const after = await desk.open()
  expect(await untilEnded(device.id, after.id)).toBe('delivered: 201')
  expect(await outcomeFor(device.id, before.id)).toBe('none')
})

it('pushes what its person chose, and messages of quiet hours when these are over', async () => {
  const { ctx } = desk.service
  const device = await aDevice(desk.grace)
  const usual = { requests: 'all', ended: true, quiet: null } as const
  const choose = (choice: Partial<PushChoice>) =>
    choosePush(ctx, desk.grace.caller, { ...usual, ...choice })
  await choose({ requests: 'none' })
  const none = await desk.open('request.opened', { risk: 'high' })
  await untilTold()
  await choose({ requests: 'high' })
  const [low, high] = [await desk.open(), await desk.open('request.opened', { risk: 'high' })]
  await untilEnded(device.id, high.id)
  for (const request of [none, low]) expect(await outcomeFor(device.id, request.id)).toBe('none')
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(11, 16)
  const hour = 3_600_000
  const to = at(hour)
  await choose({ quiet: { from: at(-hour), to, timeZone: 'UTC' } })
  const quiet = await desk.open()
  await waitUntil(async () => (await outcomeFor(device.id, quiet.id)) !== 'none')
  const waiting = await rowOf(desk.database.db, 'delivery', { request_id: quiet.id })
  expect(waiting.state).toBe('pending')
  expect(waiting.next_attempt_at.toISOString().slice(11, 16)).toBe(to)
})

// Rules: security.md 22
it('pushes a hand-over to the colleague alone, after their quiet hours', async () => {
  const linus = await addPerson(db, 'Linus', ['platform'])
  const [his, hers] = [await aDevice(linus), await aDevice(desk.grace)]
  const request = await desk.add()
  const handOver = (by: TestPerson, to: TestPerson) =>
    handOverRequest(ctx, by.caller, { request: request.id, to: to.id })
  await handOver(desk.grace, linus)
  expect(await untilEnded(his.id, request.id)).toBe('delivered: 201')
  expect(JSON.parse(service.received[0]?.text ?? '')).toEqual({
    requestId: request.id,
    number: expect.any(Number),
    handedOver: true,
    to: linus.id,
  })
  await untilTold()
  expect(await outcomeFor(hers.id, request.id)).toBe('none')
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(11, 16)
  const quiet = { from: at(-3_600_000), to: at(3_600_000), timeZone: 'UTC' }
  await choosePush(ctx, desk.grace.caller, { requests: 'all', ended: true, quiet })
  await handOver(linus, desk.grace)
  await waitUntil(async () => (await outcomeFor(hers.id, request.id)) !== 'none')
  const { state } = await rowOf(db, 'delivery', { recipient: hers.id, request_id: request.id })
  expect(state).toBe('pending')
  // Somebody else has it when they end.
  await handOver(desk.grace, linus)
  await db
    .updateTable('delivery')
    .set({ next_attempt_at: sql`clock_timestamp()` })
    .where('recipient', '=', hers.id)
    .execute()
  expect(await untilEnded(hers.id, request.id)).toMatch(/^dead: the colleague no longer has/)
  expect(service.received).toHaveLength(1)
})

it.each([404, 410])('removes a device when its push service answers %i', async (status) => {
  const device = await aDevice(desk.grace)
  service.answer = status
  const request = await desk.open()
  expect(await untilEnded(device.id, request.id)).toBe(`dead: it answered ${status}`)
  expect(await listDevices(desk.service.ctx, desk.grace.caller, sessionTimes)).toEqual([])
})

it('repeats a message that a push service refused temporarily, and keeps the device', async () => {
  const device = await aDevice(desk.grace)
  service.answer = 503
  const request = await desk.open()
  expect(await untilEnded(device.id, request.id)).toBe('dead: it answered 503')
  expect(await listDevices(desk.service.ctx, desk.grace.caller, sessionTimes)).toHaveLength(1)
})

// Rules: security.md 39
it('removes the devices of a session that was ended or has expired', async () => {
  const { db } = desk.database
  const [ended, idle] = [await aDevice(desk.grace), await aDevice(desk.grace)]
  await endNamedSession(desk.service.ctx, desk.grace.caller, { id: ended.sessionId })
  await sql`update session set last_seen_at = now() - interval '13 hours' where id = ${idle.sessionId}`.execute(
    db,
  )
  expect(await listDevices(desk.service.ctx, desk.grace.caller, sessionTimes)).toEqual([])
  const request = await desk.open()
  const live = await aDevice(desk.grace)
  const after = await desk.open()
  await untilEnded(live.id, after.id)
  for (const one of [ended, idle]) expect(await outcomeFor(one.id, request.id)).toBe('none')
})

const forged: Readonly<Record<string, (other: Awaited<ReturnType<typeof aDevice>>) => string>> = {
  person_id: () => desk.olga.id,
  session_id: (other) => other.sessionId,
  endpoint: (other) => other.endpoint,
  p256dh: (other) => other.target.keys.p256dh,
  auth: (other) => other.target.keys.auth,
}

// Rules: security.md 29
test.each(sealedTables.push_subscription.columns.filter((column) => column !== 'id'))(
  'nothing is pushed by a device whose %s was changed in the database',
  async (column) => {
    const [device, other] = [await aDevice(desk.grace), await aDevice(desk.grace)]
    const request = await desk.open()
    for (const { id } of [device, other]) await untilEnded(id, request.id)
    const value = forged[column]?.(other) ?? ''
    await sql`update push_subscription set ${sql.ref(column)} = ${value} where id = ${device.id}`.execute(
      desk.database.db,
    )
    // It was composed from an earlier row. What is sent depends on the row now.
    await sql`update delivery set state = 'pending', attempts = 0, next_attempt_at = now()
      where recipient = ${device.id}`.execute(desk.database.db)
    service.received.length = 0
    expect(await untilEnded(device.id, request.id)).toBe('dead: a row without a valid seal')
    expect(service.received).toEqual([])
  },
)

// Rules: security.md 23
it('connects to no private address, whatever the name of a push service resolves to at that time', async () => {
  const device = await aDevice(desk.grace)
  const request = await desk.add()
  const due = { id: request.id, recipient: device.id, body: '{}', type: 'request.opened' }
  const send = async (channel: NotificationChannel): Promise<string | null> => {
    const { signal } = new AbortController()
    const attempt = { ...due, requestId: request.id, attempts: 1 }
    return (await channel.send(attempt, signal, 90_000)).error
  }
  expect(await send(channelOf({ isDevelopment: false }))).toMatch(/^http is only for this machine/)
  const named = { endpoint: 'https://push.example.com/grace', keys: device.target.keys }
  const { id } = await subscribeDevice(desk.service.ctx, desk.grace.caller, {
    sessionId: device.sessionId,
    target: named,
  })
  due.recipient = id
  const resolve = async () => ['93.184.215.14', '10.0.0.5']
  expect(await send(channelOf({ resolve }))).toBe(
    '10.0.0.5 is a private address, and webhooks.allow does not list it',
  )
})

/** Exchanges the resolver of the system. */
function setLookup(lookup: unknown): void {
  Object.assign(dns, { lookup })
  syncBuiltinESMExports()
}

// Rules: security.md 23, 37
it('test messages to names that no name server answers for keep no configured name waiting', async () => {
  const { lookup } = dns
  onTestFinished(() => setLookup(lookup))
  const silent: string[] = []
  const answer = Promise.withResolvers<never>()
  setLookup(async (host: string) => {
    if (!host.startsWith('silent')) return [{ address: '192.0.2.7', family: 4 }]
    silent.push(host)
    return answer.promise
  })
  const tests: Promise<string | null>[] = []
  for (let n = 0; n < 6; n += 1) {
    const { sessionId } = await aDevice(desk.grace, { endpoint: `https://silent${n}.test/` })
    const sender = { allow: [], isDevelopment: true, key: testPushKey, publicUrl }
    const input = { sessionId, times: sessionTimes, sender }
    tests.push(sendTestPush(ctx, desk.grace.caller, input))
  }
  await waitUntil(() => silent.length >= 6)
  expect(await resolveHost('hook.test')).toEqual(['192.0.2.7'])
  answer.reject(new Error('no answer'))
  expect(await Promise.all(tests)).toEqual(Array.from({ length: 6 }, () => 'no answer'))
})

// Rules: security.md 37
it('pushes at most 30 openings of a queue in an hour to a device, and those of other queues still', async () => {
  const device = await aDevice(desk.grace)
  const flood = []
  for (let n = 0; n < 32; n += 1) flood.push(await desk.open())
  const other = await desk.open('request.opened', { routing: { queue: 'releases' } })
  await untilTold()
  expect(await untilEnded(device.id, other.id)).toBe('delivered: 201')
  const outcomes = await Promise.all(flood.map(({ id }) => outcomeFor(device.id, id)))
  expect(outcomes.filter((outcome) => outcome === 'none')).toHaveLength(2)
})
