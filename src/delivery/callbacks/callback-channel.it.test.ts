import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { openWebhookReceiver, type WebhookReceiver } from '#test/harness/webhook-receiver.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { callbackSecret as secretForPrograms } from '#program-client'
import { callbackSecret } from '#services/external/callback-secret.ts'
import { openProgramDesk } from '#services/external/external.fixture.ts'
import { openExternal } from '#services/external/open-external.ts'
import { withdrawRequest } from '#services/external/withdraw-request.ts'
import { listDeliveries } from '#services/channels/webhooks/list-deliveries.ts'
import { resendDelivery } from '#services/channels/webhooks/resend-delivery.ts'
import { ChannelRelay } from '../channels/channel-relay.ts'
import { callbackChannel } from './callback-channel.ts'

const apiKey = 'cs_0123456789abcdef_0123456789012345678901234567890123456789012'
const secret = callbackSecret(apiKey)

let receiver: WebhookReceiver

const desk = disposeAfterTests(await openProgramDesk())

beforeEach(async () => {
  receiver = await openWebhookReceiver()
})

afterEach(() => receiver[Symbol.asyncDispose]())

function relay(options: { isDevelopment?: boolean } = {}): ChannelRelay {
  const { ctx, db } = desk.service
  const { isDevelopment = true } = options
  return new ChannelRelay({
    db,
    databaseUrl: desk.databaseUrl,
    seals: ctx.seals,
    log: ctx.log,
    policies: ctx.policies,
    channelsOf: () => [callbackChannel({ db, seals: ctx.seals, allow: [], isDevelopment })],
    times: { pausesMs: [1, 1], timeoutMs: 60_000, leaseMs: 120_000, everyMs: 50 },
  })
}

const asking = () => desk.ask({ callback: { url: receiver.url, secret } })
const mine = async () => {
  const { ctx } = desk.service
  return (await listDeliveries(ctx, desk.grace.caller, { mine: true })).items
}
const newestIs = (state: string) =>
  waitUntil(async () => {
    const [newest] = await mine()
    return newest?.state === state || JSON.stringify(newest)
  })

// Rules: security.md 23
it('notifies a program once its request is decided: signed with the secret of its key, with ids only', async () => {
  await using _relay = relay()
  await using _other = relay()
  const request = await asking()
  await desk.decide(request, 'approve')
  await newestIs('delivered')
  expect(receiver.received).toHaveLength(1)
  const [received] = receiver.received
  if (received === undefined) throw new Error('nothing came')
  const { body, headers } = received
  // A program knows only its key.
  const payload = new Webhook(await secretForPrograms(apiKey)).verify(
    body,
    headers as Record<string, string>,
  )
  expect(payload).toMatchObject({
    specversion: '1.0',
    type: 'countersign.request.decided',
    subject: request.id,
    data: { requestId: request.id, externalId: request.external?.externalId, state: 'approved' },
  })
  expect(body).not.toContain('1.4.2')
  expect(JSON.stringify(request)).not.toContain(receiver.url)
})

it('notifies of a denial and a withdrawal, and sends nothing for a program without an address', async () => {
  await using _relay = relay()
  const { ctx } = desk.service
  await desk.decide(await asking(), 'deny')
  await withdrawRequest(ctx, desk.program.caller, { request: (await asking()).id })
  await desk.decide(await desk.ask(), 'approve')
  await waitUntil(() => receiver.received.length === 2)
  const states = receiver.received.map(({ body }) => JSON.parse(body).data.state)
  expect(new Set(states)).toEqual(new Set(['denied', 'cancelled']))
  const ends = async () => (await mine()).map(({ state }) => state)
  await waitUntil(async () => !(await ends()).includes('pending'))
  expect(new Set(await ends())).toEqual(new Set(['delivered']))
})

it('shows a callback that was given up to the owner of the key only, who can send it again', async () => {
  receiver.answer = 503
  await using _relay = relay()
  await desk.decide(await asking(), 'approve')
  await newestIs('dead')
  const [dead] = await mine()
  expect(dead).toMatchObject({ kind: 'callback', recipient: desk.program.id, lastStatus: 503 })
  const { ctx } = desk.service
  const deliveryId = dead?.id ?? ''
  expect((await listDeliveries(ctx, desk.linus.caller, { mine: true })).items).toEqual([])
  await expect(resendDelivery(ctx, desk.linus.caller, { deliveryId })).rejects.toMatchObject({
    code: 'not_found',
  })
  receiver.answer = 204
  await resendDelivery(ctx, desk.grace.caller, { deliveryId })
  await newestIs('delivered')
  expect(new Set(receiver.received.map((one) => one.headers['webhook-id']))).toEqual(
    new Set([deliveryId]),
  )
})

// Rules: security.md 23
it('connects to no private address, and follows no redirect', async () => {
  await using target = await openWebhookReceiver()
  receiver.answer = (response) => response.writeHead(307, { location: target.url }).end()
  {
    await using _relay = relay()
    await desk.decide(await asking(), 'approve')
    await newestIs('dead')
    expect((await mine())[0]?.lastError).toContain('redirects are not followed')
  }
  await using _strict = relay({ isDevelopment: false })
  await desk.decide(await asking(), 'approve')
  await newestIs('dead')
  expect((await mine())[0]?.lastError).toContain('use https')
  expect(target.received).toEqual([])
})

it('delays no other program while one hangs', async () => {
  const { ctx, db } = desk.service
  const other = await addKey(db, desk.ada)
  await using healthy = await openWebhookReceiver()
  receiver.answer = () => undefined
  await using _relay = relay()
  for (let index = 0; index < 6; index += 1) await desk.decide(await asking(), 'approve')
  await waitUntil(() => receiver.received.length === 2)
  const { requestId } = await openExternal(ctx, other.caller, {
    tool: 'deploy',
    input: {},
    externalId: 'of another program',
    callback: { url: healthy.url, secret },
  })
  await desk.decide(await desk.read(requestId), 'deny')
  await waitUntil(() => healthy.received.length === 1)
  expect(receiver.received).toHaveLength(2)
})

// Rules: security.md 29
it('signs no callback where the row of the request or of the delivery was changed', async () => {
  const { db } = desk.service
  await using elsewhere = await openWebhookReceiver()
  const [moved, denied] = [await asking(), await asking()]
  await setRows(db, 'external_request', { request_id: moved.id }, { callback_url: elsewhere.url })
  await desk.decide(denied, 'deny')
  await sql`update delivery set body = replace(body, '"denied"', '"approved"')
    where request_id = ${denied.id}`.execute(db)
  await sql`insert into delivery (id, endpoint, event_id, recipient, type, request_id, body)
    select gen_random_uuid(), endpoint, gen_random_uuid(), recipient, type, ${moved.id},
      replace(body, ${denied.id}, ${moved.id})
    from delivery where request_id = ${denied.id}`.execute(db)
  await using _relay = relay()
  const ends = () =>
    db
      .selectFrom('delivery')
      .select(['state', 'last_error'])
      .where('request_id', 'in', [moved.id, denied.id])
      .execute()
  await waitUntil(async () => (await ends()).every(({ state }) => state === 'dead'))
  expect((await ends()).map((end) => end.last_error)).toEqual(
    Array(2).fill('its rows were changed in the database'),
  )
  expect([...receiver.received, ...elsewhere.received]).toEqual([])
})

it('says that it cannot sign a callback whose secret is unreadable, not that the request is gone', async () => {
  const request = await asking()
  await desk.decide(request, 'approve')
  const fields = { callback_secret: 'no secret' }
  await setRows(desk.service.db, 'external_request', { request_id: request.id }, fields)
  await using _relay = relay()
  await newestIs('dead')
  expect((await mine())[0]?.lastError).toBe(
    'the request has no callback address, or its secret cannot be read',
  )
  expect(receiver.received).toEqual([])
})

// The last: the program has no key afterwards. Rules: security.md 29
it('notifies no program whose key was revoked, even after its row is restored', async () => {
  const { ctx, db } = desk.service
  const [request, restored] = [await asking(), await asking()]
  await setRows(db, 'api_key', { id: desk.program.id }, { revoked_at: new Date() })
  await using _relay = relay()
  await desk.decide(request, 'approve')
  await newestIs('dead')
  expect((await mine())[0]?.lastError).toBe('the API key was revoked')
  await setRows(db, 'api_key', { id: desk.program.id }, { revoked_at: null })
  await ctx.seals.revocations.add([{ what: 'api_key', id: desk.program.id, from: null }])
  const before = (await mine()).length
  await desk.decide(restored, 'approve')
  await waitUntil(async () => (await mine()).length > before)
  await newestIs('dead')
  expect((await mine())[0]?.lastError).toBe('the API key was revoked')
  expect(receiver.received).toEqual([])
})
