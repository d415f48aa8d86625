import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import type { WebhookEndpoint } from '#policy/settings.ts'
import { createTestApi, type Client } from '../test-api.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'

const chat: WebhookEndpoint = {
  name: 'chat',
  url: 'https://hooks.example.com/a-path-that-is-secret',
  events: ['request.opened'],
  queues: null,
  secretFrom: 'CHAT_SECRET',
  source: 'countersign.yaml:1',
}

const api = disposeAfterTests(await createTestApi())
const { ctx, policy } = api.service
const config = {
  ...policy.config,
  rights: { ...policy.config.rights, activatePolicy: [{ team: 'operators' }] },
  webhooks: { allow: [], endpoints: new Map([['chat', chat]]) },
}
Object.assign(ctx.policies, { inForce: async () => ({ ...policy, config }) })
await api.database.db.insertInto('endpoint').values({ name: 'chat', told_until: '0' }).execute()
const olga = await api.signIn(api.people.olga)
const aud = await api.signIn(api.people.aud)
const grace = await api.signIn(api.people.grace)

/** A notification that was given up. */
async function dead(): Promise<string> {
  const id = uuidv7()
  await api.database.db
    .insertInto('delivery')
    .values({
      id,
      endpoint: 'chat',
      event_id: uuidv7(),
      type: 'request.opened',
      request_id: null,
      body: '{}',
      state: 'dead',
      attempts: 10,
      last_status: 503,
      last_error: 'it answered 503',
      ended_at: new Date(),
    })
    .execute()
  return id
}

// Rules: security.md 23
test('deliveries that were given up are listed, page by page, for people who read the trail, and resent by people with the right', async () => {
  const [first, second] = [await dead(), await dead()]
  const page = await aud.get('/v1/webhooks/deliveries?state=dead&endpoint=chat&limit=1')
  expect(page.body.items).toMatchObject([{ id: second, lastStatus: 503, nextAttemptAt: null }])
  const next = await aud.get(
    `/v1/webhooks/deliveries?state=dead&endpoint=chat&limit=1&cursor=${page.body.nextCursor}`,
  )
  expect(next.body).toMatchObject({ items: [{ id: first }], nextCursor: null })
  const resend = (client: Client) => client.post(`/v1/webhooks/deliveries/${first}/resend`)
  expect(await resend(grace)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await resend(aud)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await resend(olga)).toMatchObject({ status: 200, body: { resent: true } })
  expect(await resend(olga)).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

// Rules: security.md 22
test('endpoints are shown to people who may see them, without the part of the address that may be secret', async () => {
  const reply = await aud.get('/v1/webhooks')
  expect(reply.body.items).toMatchObject([{ name: 'chat', origin: 'https://hooks.example.com' }])
  expect(reply.text).not.toContain('a-path-that-is-secret')
  for (const path of ['/v1/webhooks', '/v1/webhooks/deliveries']) {
    expect(await grace.get(path)).toMatchObject({ status: 403 })
  }
})
