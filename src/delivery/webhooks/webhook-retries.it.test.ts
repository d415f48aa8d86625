import { expect, it } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import { openWebhookReceiver } from '#test/harness/webhook-receiver.ts'
import { rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { listDeliveries } from '#services/channels/webhooks/list-deliveries.ts'
import { listEndpoints } from '#services/channels/webhooks/list-endpoints.ts'
import { resendDelivery } from '#services/channels/webhooks/resend-delivery.ts'
import type { DueDelivery } from '../channels/channel.ts'
import { endpointsWithDue, takeDue } from '../channels/due-deliveries.ts'
import { createDeliveries } from '../channels/create-deliveries.ts'
import { sendWebhook } from './send-webhook.ts'
import {
  channelOf,
  configure,
  desk,
  endpointAt,
  newest,
  quick,
  receiver,
  relayOf,
  secret,
  untilState,
  useWebhookDesk,
  verified,
} from './webhook-desk.fixture.ts'
import { readSecrets, webhookHeaders } from './webhook-secret.ts'

useWebhookDesk()

// Rules: security.md 23
it('repeats a message after an error and after no answer, with the same id and body', async () => {
  const to = endpointAt(receiver)
  const ctx = await configure(desk, to)
  receiver.answer = (response, { headers }) => {
    // The first is refused, the second hangs, the third is taken.
    if (receiver.received.length === 1) response.writeHead(500).end()
    if (receiver.received.length > 2) response.writeHead(200).end(String(headers['webhook-id']))
  }
  await using _relay = relayOf(desk, ctx, {
    times: { ...quick, pausesMs: Array(50).fill(1), timeoutMs: 1500 },
  })
  await desk.open()
  await untilState(desk, ctx, to, 'delivered')
  const [first, second, third] = receiver.received
  expect(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size).toBe(1)
  expect([second?.body, third?.body]).toEqual([first?.body, first?.body])
  for (const one of receiver.received) verified(one)
})

it('gives up after the last attempt, lists it, and sends it again when a person with the right resends it', async () => {
  const to = endpointAt(receiver)
  const ctx = await configure(desk, to)
  receiver.answer = 503
  await using _relay = relayOf(desk, ctx)
  await desk.open()
  await untilState(desk, ctx, to, 'dead')
  const dead = await newest(desk, ctx, to)
  expect(dead).toMatchObject({ attempts: 3, lastStatus: 503, lastError: 'it answered 503' })
  expect(await listEndpoints(ctx, desk.olga.caller)).toMatchObject([{ name: to.name, dead: 1 }])
  const deliveryId = dead?.id ?? ''
  await expect(resendDelivery(ctx, desk.ada.caller, { deliveryId })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(resendDelivery(ctx, desk.aud.caller, { deliveryId })).rejects.toMatchObject({
    code: 'forbidden',
  })
  await expect(listDeliveries(ctx, desk.ada.caller, {})).rejects.toMatchObject({
    code: 'forbidden',
  })
  receiver.answer = 204
  await resendDelivery(ctx, desk.olga.caller, { deliveryId })
  await untilState(desk, ctx, to, 'delivered')
  expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(deliveryId)
  const audited = await rowsOf(
    desk.database.db,
    'audit_event',
    { type: 'webhook.resent' },
    'document',
  )
  expect(audited.map(({ document }) => document)).toEqual([expect.stringContaining(deliveryId)])
})

it('gives up at once when the receiver answers that it is gone', async () => {
  const to = endpointAt(receiver)
  const ctx = await configure(desk, to)
  receiver.answer = 410
  await using _relay = relayOf(desk, ctx)
  await desk.open()
  await untilState(desk, ctx, to, 'dead')
  expect(receiver.received).toHaveLength(1)
})

// Rules: security.md 23
it('sends nothing more to a receiver that is gone, until somebody resends or the address changes', async () => {
  const to = endpointAt(receiver)
  const ctx = await configure(desk, to)
  const isGone = async () => (await listEndpoints(ctx, desk.olga.caller))[0]?.gone
  const nextEvent = async () => {
    await desk.open()
    await desk.untilNumbered()
    while (await createDeliveries(desk.service.ctx, channelOf(to)));
  }
  receiver.answer = 410
  const relay = relayOf(desk, ctx)
  await desk.open()
  await waitUntil(async () => (await isGone()) === true)
  const dead = await newest(desk, ctx, to)
  await nextEvent()
  expect(await newest(desk, ctx, to)).toEqual(dead)
  receiver.answer = 204
  await resendDelivery(ctx, desk.olga.caller, { deliveryId: dead?.id ?? '' })
  await untilState(desk, ctx, to, 'delivered')
  expect(await isGone()).toBe(false)
  receiver.answer = 410
  await nextEvent()
  await waitUntil(async () => (await isGone()) === true)
  await relay[Symbol.asyncDispose]()
  await using moved = await openWebhookReceiver()
  const elsewhere = { ...to, url: moved.url }
  await using _other = relayOf(desk, await configure(desk, elsewhere))
  await desk.open()
  await waitUntil(() => moved.received.length === 1)
})

it('sends a message again, with the same id, whose process was killed before it recorded the result', async () => {
  const to = endpointAt(receiver)
  const ctx = await configure(desk, to)
  await desk.open()
  let taken: DueDelivery | undefined
  await waitUntil(async () => {
    await createDeliveries(desk.service.ctx, channelOf(to))
    taken = (
      await takeDue(desk.database.db, {
        endpoint: to.name,
        maxDeliveries: 1,
        leaseMs: 500,
        pausesMs: [],
        perRecipient: 1,
        underWay: [],
      })
    )[0]
    return taken !== undefined
  })
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
  await using _relay = relayOf(desk, ctx)
  await untilState(desk, ctx, to, 'delivered')
  expect(receiver.received.map((one) => one.headers['webhook-id'])).toEqual([id, id])
  expect((await newest(desk, ctx, to))?.attempts).toBe(2)
})

// Rules: security.md 42
it('is due if the clock of the database has left its next attempt too far ahead, as after it was set back, and otherwise after its pause', async () => {
  const to = endpointAt(receiver)
  await configure(desk, to)
  await desk.open()
  await desk.untilNumbered()
  while (await createDeliveries(desk.service.ctx, channelOf(to)));
  const { db } = desk.database
  const pausesMs = [2 * 60 * 60_000]
  const isDue = async (attempts: number, createdMinutes: number, nextMinutes: number) => {
    const at = (minutes: number): Date => new Date(Date.now() + minutes * 60_000)
    const row = { attempts, created_at: at(createdMinutes), next_attempt_at: at(nextMinutes) }
    await setRows(db, 'delivery', { endpoint: to.name }, row)
    const isListed = (await endpointsWithDue(db, [to.name], pausesMs)).has(to.name)
    const slots = { maxDeliveries: 1, leaseMs: 1000, perRecipient: 1, underWay: [] }
    const taken = await takeDue(db, { endpoint: to.name, pausesMs, ...slots })
    expect(taken).toHaveLength(isListed ? 1 : 0)
    return isListed
  }
  const day = 24 * 60
  // Created, leased or put off while the clock was a day ahead.
  expect(await isDue(0, day, day)).toBe(true)
  expect(await isDue(1, -1, day)).toBe(true)
  expect(await isDue(7, -1, day)).toBe(true)
  // Quiet hours, the first pause, and a lease or a pause that the receiver asked for.
  expect(await isDue(0, -1, 10 * 60)).toBe(false)
  // The clock was set back by half a minute right after it was put off.
  expect(await isDue(0, 0.5, 10 * 60)).toBe(false)
  expect(await isDue(1, -1, 110)).toBe(false)
  expect(await isDue(2, -1, 50)).toBe(false)
  expect(await isDue(1, -1, -1)).toBe(true)
})

// Rules: security.md 23
it('delays no other receiver while one hangs, and makes four requests to that one at most', async () => {
  await using healthy = await openWebhookReceiver()
  const hanging = endpointAt(receiver)
  const other = endpointAt(receiver, { url: healthy.url })
  const ctx = await configure(desk, hanging, other)
  receiver.answer = () => undefined
  await using _relay = relayOf(desk, ctx)
  for (let index = 0; index < 12; index += 1) await desk.open()
  await waitUntil(() => healthy.received.length === 12)
  await waitUntil(() => receiver.received.length === 4)
  // Each endpoint gets the events that had numbers when its turn came; the last may need another
  // round.
  await waitUntil(async () => {
    const waiting = { endpoint: hanging.name, state: 'pending' } as const
    return (await listDeliveries(ctx, desk.olga.caller, waiting)).items.length === 12
  })
  expect(receiver.received).toHaveLength(4)
})

it('gives up the deliveries that wait for an endpoint that is no longer configured, and never sends it events of that time', async () => {
  const to = endpointAt(receiver, { secretFrom: 'NOT_SET' })
  const ctx = await configure(desk, to)
  const long = { ...quick, pausesMs: [3_600_000] }
  {
    await using _relay = relayOf(desk, ctx, { times: long })
    await desk.open()
    await waitUntil(async () => (await newest(desk, ctx, to))?.attempts === 1)
  }
  const without = await configure(desk)
  await using _relay = relayOf(desk, without, { times: long })
  await untilState(desk, without, to, 'dead')
  await expect(
    resendDelivery(without, desk.olga.caller, {
      deliveryId: (await newest(desk, without, to))?.id ?? '',
    }),
  ).rejects.toMatchObject({ code: 'conflict' })
  await desk.open()
  await configure(desk, to)
  const { items } = await listDeliveries(ctx, desk.olga.caller, { endpoint: to.name })
  expect(items).toHaveLength(1)
})
