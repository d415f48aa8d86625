import { createECDH, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { openPushService } from '../../harness/fixtures/push-service.ts'
import { testPushKey } from '../../harness/fixtures/keys/push-key.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { createTestApi, type Client } from '../test-api.ts'

const path = '/v1/me/push-subscriptions'

const pushService = disposeAfterTests(await openPushService())
const api = disposeAfterTests(await createTestApi())
const grace = await api.signIn(api.people.grace)

/** What `PushSubscription.toJSON()` gives in a browser. */
function subscriptionAt(endpoint: string) {
  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url')
  return {
    endpoint,
    expirationTime: null,
    keys: { p256dh, auth: randomBytes(16).toString('base64url') },
  }
}

async function endpoints(client: Client): Promise<string[]> {
  const { body } = await client.get(path)
  return body.items.map((item: { endpoint: string }) => item.endpoint)
}

/** The reasons for which the trail says that a device was removed. */
async function removalsOf(deviceId: string): Promise<unknown[]> {
  const { db } = api.service
  const rows = await rowsOf(db, 'audit_event', { type: 'credential.changed' }, 'document')
  const details = rows.map((row) => JSON.parse(row.document).detail)
  const removals = details.filter((detail) => detail.change === 'push_removed')
  return removals.filter((detail) => detail.deviceId === deviceId).map(({ why }) => why)
}

test('a browser subscribes for the key of the installation, once for each endpoint, and ends it', async () => {
  const subscription = subscriptionAt('https://1.1.1.1/grace')
  const first = await grace.post(path, subscription)
  expect(first.status).toBe(201)
  expect((await grace.post(path, subscription)).status).toBe(201)
  const { body } = await grace.get(path)
  expect(body).toMatchObject({
    publicKey: testPushKey.publicKey,
    items: [{ endpoint: subscription.endpoint, current: true, device: expect.any(String) }],
  })
  const { endpoint } = subscription
  const removal = { method: 'DELETE', headers: grace.headers, body: { endpoint } }
  const [{ id }] = body.items
  expect((await api.ask(path, removal)).body).toEqual({ removed: 1 })
  expect(await removalsOf(id)).toEqual(['removed_by_person'])
  expect((await api.ask(path, removal)).body).toEqual({ removed: 0 })
  expect(await endpoints(grace)).toEqual([])
})

// Rules: security.md 23
test('a test message has no content, goes to the device of the session alone, and says why a push service did not take it', async () => {
  const session = await api.signIn(api.people.grace)
  const other = pushService.subscribe(testPushKey.publicKey)
  await grace.post(path, other)
  const none = await session.post(`${path}/test`, {})
  expect(none.body).toMatchObject({ status: 404, code: 'not_found' })
  await session.post(path, pushService.subscribe(testPushKey.publicKey))
  const [own] = (await session.get(path)).body.items
  const test = await session.post(`${path}/test`, {})
  expect(test.body).toEqual({ accepted: true, problem: null })
  expect(pushService.received).toMatchObject([{ path: new URL(own.endpoint).pathname, text: '' }])
  pushService.answer = 403
  const refused = await session.post(`${path}/test`, {})
  expect(refused.body).toEqual({ accepted: false, problem: 'it answered 403' })
  pushService.answer = 410
  expect((await session.post(`${path}/test`, {})).body.problem).toContain('no longer knows')
  expect(await endpoints(session)).toEqual([other.endpoint])
  expect(await removalsOf(own.id)).toEqual(['gone'])
  while ((await session.post(`${path}/test`, {})).status === 404);
  const often = await session.post(`${path}/test`, {})
  expect(often.body).toMatchObject({ status: 429, code: 'rate_limited' })
  await api.ask(path, { method: 'DELETE', headers: grace.headers, body: {} })
})

// Rules: security.md 23
test.each([
  ['http://1.1.1.1/push', 'use https'],
  ['https://10.0.0.7/push', '10.0.0.7 is a private address'],
  ['https://169.254.169.254/latest/meta-data', '169.254.169.254 is a private address'],
  ['https://[::1]/push', '::1 is a private address'],
  ['https://localhost/push', 'is a private address'],
  ['ftp://1.1.1.1/push', 'is not https'],
  ['https://name:word@1.1.1.1/', 'without a user name'],
  ['no address', 'must be an address'],
])('the endpoint %s is refused', async (endpoint, detail) => {
  const reply = await grace.post(path, subscriptionAt(endpoint))
  expect(reply.body).toMatchObject({ status: 422, code: 'invalid_request' })
  expect(reply.body.detail).toContain(detail)
  expect(await endpoints(grace)).toEqual([])
})

test('keys that nothing can be encrypted for, and a 21st device, are refused', async () => {
  const subscription = subscriptionAt('https://1.1.1.1/grace')
  const keys = { ...subscription.keys, p256dh: 'AAAA' }
  expect((await grace.post(path, { ...subscription, keys })).body.code).toBe('invalid_request')
  const linus = await api.signIn(api.people.linus)
  for (let at = 0; at < 20; at += 1) {
    const reply = await linus.post(path, subscriptionAt(`https://1.1.1.1/${at}`))
    expect(reply.status).toBe(201)
  }
  expect((await linus.post(path, subscriptionAt('https://1.1.1.1/21'))).body.code).toBe('conflict')
})

// Rules: security.md 22, 39
test('devices are their own person’s alone: others neither see nor end them, a key has none, signing out ends them', async () => {
  const [one, other] = [await api.signIn(api.people.edsger), await api.signIn(api.people.aud)]
  const subscription = subscriptionAt('https://1.1.1.1/edsger')
  const { id } = (await one.post(path, subscription)).body
  for (const body of [{ id }, { endpoint: subscription.endpoint }, {}]) {
    const reply = await api.ask(path, { method: 'DELETE', headers: other.headers, body })
    expect(reply.body).toEqual({ removed: 0 })
  }
  expect(await endpoints(other)).toEqual([])
  expect(await endpoints(one)).toEqual([subscription.endpoint])
  const key = await one.post('/v1/keys', { name: 'a program', scopes: ['requests:read'] })
  const headers = { authorization: `Bearer ${key.body.key}` }
  expect((await api.ask(path, { headers })).status).toBe(403)
  expect((await api.ask(path, { method: 'POST', headers, body: subscription })).status).toBe(403)
  await one.post('/v1/auth/logout')
  const again = await api.signIn(api.people.edsger)
  expect(await endpoints(again)).toEqual([])
})

test('each person chooses what is pushed to them; quiet hours need two times and a time zone', async () => {
  const quiet = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' }
  const mail = { choice: 'digest', ended: false }
  const push = { requests: 'high', ended: false, quiet }
  const put = (body: object) => grace.put('/v1/me/notifications', { ...mail, ...body })
  expect((await grace.get('/v1/me/notifications')).body.push).toEqual({
    requests: 'all',
    ended: true,
    quiet: null,
  })
  expect((await put({ push })).body.push).toEqual(push)
  expect((await put({})).body.push).toEqual(push)
  for (const wrong of [{ from: '24:00' }, { to: '7' }, { timeZone: 'Mars/Base' }]) {
    const reply = await put({ push: { ...push, quiet: { ...quiet, ...wrong } } })
    expect(reply.body).toMatchObject({ status: 422, code: 'invalid_request' })
  }
  const other = await api.signIn(api.people.olga)
  expect((await other.get('/v1/me/notifications')).body.push.requests).toBe('all')
})
