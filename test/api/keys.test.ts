import { afterAll, beforeAll, expect, test } from 'vitest'
import { addRequest, addRun } from '../harness/fixtures/gated-run.ts'
import { createTestApi, type Client, type TestApi } from './test-api.ts'

let api: TestApi
let ada: Client

beforeAll(async () => {
  api = await createTestApi()
  ada = await api.signIn(api.people.ada)
})
afterAll(() => api[Symbol.asyncDispose]())

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function createKey(client: Client, scopes: string[]): Promise<{ id: string; key: string }> {
  const reply = await client.post('/v1/keys', { name: 'robot', scopes })
  expect(reply.status).toBe(201)
  return reply.body
}

// Rules: security.md 21
test('a key is shown once, stored hashed, and works for what it was made for', async () => {
  const { id, key } = await createKey(ada, ['runs:read'])
  expect(key).toMatch(/^cs_[0-9a-f]{16}_[\w-]{43}$/)
  const row = await api.service.db
    .selectFrom('api_key')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain(key.split('_')[2])
  expect((await ada.get('/v1/keys')).text).not.toContain(key)
  expect((await api.ask('/v1/workers', { headers: bearer(key) })).status).toBe(200)
  const me = await api.ask('/v1/me', { headers: bearer(key) })
  expect(me.body).toMatchObject({ person: { name: 'Ada' }, csrfToken: null, signedInBy: 'key' })
})

test('a key without the scope is 403 and told which', async () => {
  const { key } = await createKey(ada, ['audit:read'])
  const reply = await api.ask('/v1/workers', { headers: bearer(key) })
  expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(reply.body.detail).toContain('runs:read')
})

// Rules: product.md 19
test('a key never decides, whatever its scopes and whoever owns it, and the attempt is recorded', async () => {
  const grace = await api.signIn(api.people.grace)
  const everything = ['runs:write', 'runs:read', 'requests:write', 'requests:read', 'audit:read']
  const { key } = await createKey(grace, everything)
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const request = await addRequest(api.service, run)
  const reply = await api.ask(`/v1/requests/${request.id}/decisions`, {
    method: 'POST',
    body: { decision: 'approve', digest: request.digest, revision: 1 },
    headers: bearer(key),
  })
  expect(reply).toMatchObject({ status: 403, body: { code: 'not_eligible', which: 'machine' } })
  const refused = await api.service.db
    .selectFrom('audit_event')
    .select('document')
    .where('type', '=', 'decision.refused')
    .execute()
  expect(refused).toHaveLength(1)
  expect(await api.service.db.selectFrom('decision').selectAll().execute()).toEqual([])
})

test('a key makes no keys, signs nobody out, and lists no people', async () => {
  const { key } = await createKey(ada, ['runs:write'])
  const asKey = (path: string, method: string, body?: unknown) =>
    api.ask(path, { method, headers: bearer(key), ...(body === undefined ? {} : { body }) })
  for (const reply of [
    await asKey('/v1/keys', 'POST', { name: 'x', scopes: ['runs:read'] }),
    await asKey('/v1/keys', 'GET'),
    await asKey('/v1/people', 'GET'),
    await asKey('/v1/auth/logout', 'POST', {}),
    await asKey('/v1/people/ada@example.com/link', 'POST', {}),
  ]) {
    expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  }
})

test('a revoked key, and the key of a disabled person, stop at once', async () => {
  const { id, key } = await createKey(ada, ['runs:read'])
  expect((await ada.delete(`/v1/keys/${id}`)).status).toBe(200)
  expect((await api.ask('/v1/workers', { headers: bearer(key) })).status).toBe(401)
  const linus = await api.signIn(api.people.linus)
  const his = await createKey(linus, ['runs:read'])
  await api.service.db
    .updateTable('person')
    .set({ disabled_at: new Date() })
    .where('name', '=', 'Linus')
    .execute()
  expect((await api.ask('/v1/workers', { headers: bearer(his.key) })).status).toBe(401)
})

test("nobody sees, revokes or makes somebody else's keys without the right", async () => {
  const grace = await api.signIn(api.people.grace)
  const { id } = await createKey(ada, ['runs:read'])
  expect((await grace.get('/v1/keys')).text).not.toContain(id)
  expect((await grace.delete(`/v1/keys/${id}`)).status).toBe(404)
  const body = { name: 'x', owner: 'ada@example.com', scopes: ['runs:read'] }
  expect(await grace.post('/v1/keys', body)).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  })
})

test('a bad key never falls back to the cookie beside it', async () => {
  const reply = await ada.get('/v1/me', bearer('cs_0000000000000000_nonsense'))
  expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
})

// Rules: security.md 21
test('sixty failed keys a minute, then 429 with retry-after', async () => {
  await using fresh = await createTestApi()
  const attempt = () => fresh.ask('/v1/me', { headers: bearer('cs_nothing') })
  for (let count = 0; count < 60; count++) expect((await attempt()).status).toBe(401)
  const limited = await attempt()
  expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  await expect(fresh.signIn(fresh.people.ada)).resolves.toBeDefined()
})
