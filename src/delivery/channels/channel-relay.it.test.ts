import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { listDeliveries } from '#services/channels/webhooks/list-deliveries.ts'
import { configure, relayOf } from '../webhooks/webhook-desk.fixture.ts'
import { openChannelDesk } from './channel-desk.fixture.ts'
import { usualTimes } from './channel-relay.ts'
import type { NotificationChannel, DueDelivery, ChannelMessage } from './channel.ts'
import { createDeliveries } from './create-deliveries.ts'

let made = 0

const desk = disposeAfterTests(await openChannelDesk())

/** A channel that notifies two people of every request, and fails to reach Bob `failures` times. */
function twoPeople(failures: number, outcome: { isFinal?: boolean; retryAfterMs?: number } = {}) {
  made += 1
  const sent: DueDelivery[] = []
  const channel: NotificationChannel = {
    name: `email:${made}`,
    kind: 'email',
    events: ['request.opened'],
    queues: null,
    compose: async (_tx, { request }) =>
      ['ada', 'bob'].map((recipient): ChannelMessage => ({ recipient, body: request?.id ?? '' })),
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
  const { items } = await listDeliveries(desk.service.ctx, desk.aud.caller, { endpoint: name })
  return items
}
it('tries again after the pauses in docs/notifications.md, each longer than the one before, for about three days', async () => {
  const { pausesMs } = usualTimes
  expect(pausesMs).toEqual(pausesMs.toSorted((one, other) => one - other))
  expect(new Set(pausesMs).size).toBe(pausesMs.length)
  const days = pausesMs.reduce((sum, pause) => sum + pause, 0) / 86_400_000
  expect(days).toBeGreaterThan(3)
  expect(days).toBeLessThan(4)
  const page = await readFile(new URL('../../../docs/notifications.md', import.meta.url), 'utf8')
  const words = '5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours'
  expect(page.replaceAll('\n', ' ')).toContain(words)
  const [second, minute] = [1000, 60_000]
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * 60 * minute)
  expect(pausesMs).toEqual([5 * second, 5 * minute, 30 * minute, ...hours])
})

it('sends each recipient of an event a message of its own, and repeats only those that were not delivered', async () => {
  const { channel, sent } = twoPeople(2)
  await desk.untilNumbered()
  const ctx = await configure(desk)
  await createDeliveries(desk.service.ctx, channel)
  await using _relay = relayOf(desk, ctx, { channels: [channel] })
  const { id: requestId } = await desk.open()
  await waitUntil(async () => {
    const all = await deliveriesOf(channel.name)
    return all.length === 2 && all.every(({ state }) => state === 'delivered')
  })
  const of = (recipient: string) => sent.filter((one) => one.recipient === recipient)
  expect(of('ada')).toMatchObject([{ body: requestId, requestId, type: 'request.opened' }])
  expect(of('bob').map(({ attempts }) => attempts)).toEqual([1, 2, 3])
  expect(await deliveriesOf(channel.name)).toEqual(
    expect.arrayContaining([expect.objectContaining({ kind: 'email', recipient: 'bob' })]),
  )
})

it('waits as long as a receiver asks, and gives up a message at once that is refused for good', async () => {
  const later = twoPeople(1, { retryAfterMs: 3_600_000 })
  const never = twoPeople(1, { isFinal: true })
  const channels = [later.channel, never.channel]
  await desk.untilNumbered()
  const ctx = await configure(desk)
  for (const channel of channels) await createDeliveries(desk.service.ctx, channel)
  await using _relay = relayOf(desk, ctx, { channels })
  const before = Date.now()
  await desk.open()
  const ofBob = async ({ name }: NotificationChannel) =>
    (await deliveriesOf(name)).find(({ recipient }) => recipient === 'bob')
  await waitUntil(async () => (await ofBob(never.channel))?.state === 'dead')
  await waitUntil(async () => (await ofBob(later.channel))?.lastError === 'Bob is away')
  const waiting = await ofBob(later.channel)
  expect(waiting).toMatchObject({ state: 'pending', attempts: 1 })
  expect(Number(waiting?.nextAttemptAt) - before).toBeGreaterThan(3_000_000)
})

it('delays no other channel while one cannot compose its messages', async () => {
  const broken = twoPeople(0)
  const healthy = twoPeople(0)
  const failing: NotificationChannel = {
    ...broken.channel,
    compose: async () => {
      throw new Error('it cannot say')
    },
  }
  await desk.untilNumbered()
  const ctx = await configure(desk)
  for (const channel of [failing, healthy.channel])
    await createDeliveries(desk.service.ctx, channel)
  await using _relay = relayOf(desk, ctx, { channels: [failing, healthy.channel] })
  await desk.open()
  await waitUntil(() => healthy.sent.length === 2)
  expect(await deliveriesOf(failing.name)).toEqual([])
})

const forgeries = {
  'with another text': sql`update delivery set body = 'call this number' where endpoint = `,
  'to another recipient': sql`update delivery set recipient = 'mallory' where endpoint = `,
  'of another event': sql`update delivery set type = 'request.decided' where endpoint = `,
  'that somebody wrote': sql`insert into delivery (id, endpoint, event_id, type, request_id, recipient, body, seal)
    select gen_random_uuid(), endpoint, gen_random_uuid(), type, request_id, recipient, body, seal
    from delivery where endpoint = `,
}

// Rules: security.md 29
it.each(Object.entries(forgeries))('sends no notification %s in the database', async (_, forge) => {
  const { channel, sent } = twoPeople(0)
  await desk.untilNumbered()
  const ctx = await configure(desk)
  await createDeliveries(desk.service.ctx, channel)
  await desk.open()
  await desk.untilNumbered()
  await createDeliveries(desk.service.ctx, channel)
  const before = (await deliveriesOf(channel.name)).map(({ id }) => id)
  await sql`${forge}${channel.name} and recipient = 'bob'`.execute(desk.database.db)
  await using _relay = relayOf(desk, ctx, { channels: [channel] })
  await waitUntil(async () => {
    const all = await deliveriesOf(channel.name)
    return all.every(({ state }) => state !== 'pending')
  })
  const dead = (await deliveriesOf(channel.name)).filter(({ state }) => state === 'dead')
  expect(dead).toMatchObject([{ lastError: 'its rows were changed in the database' }])
  expect(sent.every(({ id }) => before.includes(id) && id !== dead[0]?.id)).toBe(true)
})

it('notifies nobody of a request that was changed in the database', async () => {
  const { channel, sent } = twoPeople(0)
  await desk.untilNumbered()
  const ctx = await configure(desk)
  await createDeliveries(desk.service.ctx, channel)
  const forged = await desk.add()
  await sql`update request set title = 'Nothing to see' where id = ${forged.id}`.execute(
    desk.database.db,
  )
  await desk.happen('request.opened', forged.id)
  const honest = await desk.open()
  await using _relay = relayOf(desk, ctx, { channels: [channel] })
  await waitUntil(() => sent.length === 2)
  expect(sent.map(({ requestId }) => requestId)).toEqual([honest.id, honest.id])
})
