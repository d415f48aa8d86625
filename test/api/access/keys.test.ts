import { expect, onTestFinished, test, vi } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { createTestApi, type Client } from '../test-api.ts'
import { sealRows } from '../../harness/fixtures/keys/test-keys.ts'
import { rowOf, rowsOf, setRows } from '../../harness/fixtures/rows.ts'
import { trailOf } from '../../harness/fixtures/trail.ts'

const api = disposeAfterTests(await createTestApi())
const ada = await api.signIn(api.people.ada)

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function createKey(client: Client, scopes: string[]): Promise<{ id: string; key: string }> {
  const reply = await client.post('/v1/keys', { name: 'robot', scopes })
  expect(reply.status).toBe(201)
  return reply.body
}

// Rules: security.md 21
test('a key is shown once, stored hashed, works for what it was made for, and is listed with its last use', async () => {
  const { id, key } = await createKey(ada, ['runs:read'])
  expect(key).toMatch(/^cs_[0-9a-f]{16}_[\w-]{43}$/)
  const row = await rowOf(api.service.db, 'api_key', { id })
  expect(JSON.stringify(row)).not.toContain(key.split('_').slice(2).join('_'))
  expect((await ada.get('/v1/keys')).text).not.toContain(key)
  const lastUse = async () => {
    const { items } = (await ada.get('/v1/keys')).body
    return items.find((one: { id: string }) => one.id === id).lastUsedAt
  }
  expect(await lastUse()).toBeNull()
  expect((await api.ask('/v1/workers', { headers: bearer(key) })).status).toBe(200)
  expect(Date.parse(await lastUse())).not.toBeNaN()
  const me = await api.ask('/v1/me', { headers: bearer(key) })
  expect(me.body).toMatchObject({ person: { name: 'Ada' }, csrfToken: null, signedInBy: 'key' })
})

test('the name of a key has no characters that nobody sees', async () => {
  const joined = ['ci\u200D\u{1F680}', '\u{1F680}\u200Dci', 'ci\uFE0F', '\u2764\uFE0F\uFE0F']
  for (const name of ['', ' ', 'a\nb', 'ci\u202Eic', 'ci\u200B', 'ci\u00AD', ...joined]) {
    const reply = await ada.post('/v1/keys', { name, scopes: ['runs:read'] })
    expect(reply, JSON.stringify(name)).toMatchObject({ status: 422, body: { field: 'name' } })
  }
  for (const name of [
    'Büro 7',
    '\u2764\uFE0F\u200D\u{1F525} \u{1F468}\u{1F3FD}\u200D\u{1F4BB} 1\uFE0F\u20E3',
  ]) {
    const { body } = await ada.post('/v1/keys', { name: ` ${name} `, scopes: ['runs:read'] })
    expect(body.name).toBe(name)
  }
})

test('a key without the scope gets 403, which names the scope', async () => {
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
  const refused = await rowsOf(
    api.service.db,
    'audit_event',
    { type: 'decision.refused' },
    'document',
  )
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
  await setRows(api.service.db, 'person', { name: 'Linus' }, { disabled_at: new Date() })
  expect((await api.ask('/v1/workers', { headers: bearer(his.key) })).status).toBe(401)
})

// Rules: security.md 21
test('the trail says which key was refused and why; it names none whose secret the caller has not, and no answer tells', async () => {
  await using fresh = await createTestApi()
  const { db } = fresh.service
  const [client, linus] = [
    await fresh.signIn(fresh.people.ada),
    await fresh.signIn(fresh.people.linus),
  ]
  const create = (owner: Client) => createKey(owner, ['runs:read'])
  const earlier = new Date(Date.now() - 60_000)
  const refusals = {
    revoked: await create(client),
    expired: await create(client),
    replaced: await create(client),
    tampered: await create(client),
    owner_disabled: await create(linus),
  }
  await client.delete(`/v1/keys/${refusals.revoked.id}`)
  // As after the retirement of a signing key, which seals again only what has not ended.
  await setRows(db, 'api_key', { id: refusals.revoked.id }, { seal: 'retired.seal' })
  await setRows(db, 'api_key', { id: refusals.expired.id }, { expires_at: earlier })
  await client.post(`/v1/keys/${refusals.replaced.id}/rotate`)
  await setRows(db, 'api_key', { id: refusals.replaced.id }, { previous_until: earlier })
  for (const { id } of [refusals.expired, refusals.replaced]) {
    await sealRows(db, 'api_key', 'id', id)
  }
  await setRows(db, 'api_key', { id: refusals.tampered.id }, { scopes: ['runs:write'] })
  await setRows(db, 'person', { id: fresh.people.linus.id }, { disabled_at: earlier })
  await sealRows(db, 'person', 'id', fresh.people.linus.id)
  const valid = await create(client)
  const unknown = [`${valid.key.slice(0, -4)}1000`, 'cs_nothing']
  const answers = new Set<string>()
  for (const key of [...Object.values(refusals).map((one) => one.key), ...unknown]) {
    const { status, body } = await fresh.ask('/v1/me', { headers: bearer(key) })
    answers.add(`${status} ${body.detail}`)
  }
  expect([...answers]).toEqual([expect.stringMatching(/^401 /)])
  const details = (await trailOf(db, {}, 'session.refused')).map(({ detail }) => detail)
  for (const [why, { id }] of Object.entries(refusals)) {
    const owner = why === 'owner_disabled' ? fresh.people.linus : fresh.people.ada
    expect(details).toContainEqual({ method: 'key', why, id, personId: owner.id })
  }
  const withoutId = { method: 'key', why: 'unknown' }
  expect(details.slice(-2)).toEqual([withoutId, withoutId])
  expect(JSON.stringify(details)).not.toContain(valid.id)
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
test('an address gets 429 with retry-after once it has sent sixty failed keys in a minute', async () => {
  await using fresh = await createTestApi()
  const attempt = () => fresh.ask('/v1/me', { headers: bearer('cs_nothing') })
  for (let count = 0; count < 60; count++) expect((await attempt()).status).toBe(401)
  const limited = await attempt()
  expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  await expect(fresh.signIn(fresh.people.ada)).resolves.toBeDefined()
})

// Rules: security.md 21
test('a valid key passes after failed ones of its address, however many these are', async () => {
  await using fresh = await createTestApi()
  const client = await fresh.signIn(fresh.people.ada)
  const [early, late] = [
    await createKey(client, ['runs:read']),
    await createKey(client, ['runs:read']),
  ]
  const ask = async ({ key }: { key: string }) =>
    (await fresh.ask('/v1/me', { headers: bearer(key) })).status
  expect(await ask(early)).toBe(200)
  const wrong = (index: number) => ({ key: `${late.key.slice(0, -4)}${1000 + index}` })
  for (let index = 0; index < 60; index++) expect(await ask(wrong(index))).toBe(401)
  expect(await ask(wrong(60))).toBe(429)
  expect(await ask(late)).toBe(200)
  const flood = Array.from({ length: 30 }, (_, index) => ask(wrong(100 + index)))
  expect(await Promise.all([ask(early), ask(late)])).toEqual([200, 200])
  expect(new Set(await Promise.all(flood))).toEqual(new Set([429]))
})

// Rules: security.md 21
test('a valid key that was not seen before passes while another program of its address repeats an old one', async () => {
  await using fresh = await createTestApi()
  const { key } = await createKey(await fresh.signIn(fresh.people.ada), ['runs:read'])
  const ask = async (sent: string) => (await fresh.ask('/v1/me', { headers: bearer(sent) })).status
  const old = `${key.slice(0, -4)}1000`
  for (let index = 0; index < 60; index++) expect(await ask(old)).toBe(401)
  for (let index = 0; index < 40; index++) expect(await ask(old)).toBe(429)
  expect(await ask(key)).toBe(200)
})

// Rules: security.md 21
test('malformed keys take no place of a valid key that was not seen before', async () => {
  await using fresh = await createTestApi()
  const { key } = await createKey(await fresh.signIn(fresh.people.ada), ['runs:read'])
  const ask = async (sent: string) => (await fresh.ask('/v1/me', { headers: bearer(sent) })).status
  for (let index = 0; index < 60; index++) expect(await ask(`key ${index}`)).toBe(401)
  for (let index = 0; index < 40; index++) expect(await ask(`cs_${index}`)).toBe(429)
  expect(await ask(key)).toBe(200)
})

// Rules: security.md 21
test('unknown keys that are sent at once pass no bound, and valid ones among them pass', async () => {
  await using fresh = await createTestApi()
  const client = await fresh.signIn(fresh.people.ada)
  const [valid, late] = [
    await createKey(client, ['runs:read']),
    await createKey(client, ['runs:read']),
  ]
  const ask = async (sent: string) => (await fresh.ask('/v1/me', { headers: bearer(sent) })).status
  const wrong = (index: number) => `${late.key.slice(0, -4)}${1000 + index}`
  const first = Promise.all(Array.from({ length: 50 }, () => ask(valid.key)))
  const flood = Array.from({ length: 400 }, (_, index) => ask(wrong(index)))
  expect(new Set(await first)).toEqual(new Set([200]))
  const answers = await Promise.all(flood)
  expect(answers.filter((status) => status === 401)).toHaveLength(60)
  expect(answers.filter((status) => status === 429)).toHaveLength(340)
})

// Rules: security.md 42
test.each([-10, 10])(
  'a key may end in five minutes, and not have ended five minutes ago, while the clock of the host is %i minutes off',
  async (minutes) => {
    const now = Date.now()
    const ending = (n: number) =>
      ada.post('/v1/keys', {
        name: 'short',
        scopes: ['runs:read'],
        expiresAt: new Date(now + n * 60_000).toISOString(),
      })
    vi.useFakeTimers({ toFake: ['Date'], now: now + minutes * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect((await ending(5)).status).toBe(201)
    expect((await ending(-5)).status).toBe(422)
  },
)

// Rules: security.md 21
test('a rotated key is the same key with another secret; the previous secret works until the overlap ends', async () => {
  const { id, key } = await createKey(ada, ['runs:read'])
  const works = async (one: string) =>
    (await api.ask('/v1/me', { headers: bearer(one) })).status === 200
  const first = await ada.post(`/v1/keys/${id}/rotate`)
  expect(first.body).toMatchObject({ id, expiresAt: null, previousUntil: expect.any(String) })
  const untilMs = Date.parse(first.body.previousUntil) - Date.now()
  expect(Math.abs(untilMs - 86_400_000)).toBeLessThan(3_600_000)
  expect(first.body.key).toMatch(new RegExp(`^cs_${id}_[\\w-]{43}$`))
  expect([await works(key), await works(first.body.key)]).toEqual([true, true])
  const second = await ada.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 3600 })
  expect([await works(key), await works(first.body.key), await works(second.body.key)]).toEqual([
    false,
    true,
    true,
  ])
  await setRows(api.service.db, 'api_key', { id }, { previous_until: new Date(Date.now() - 1000) })
  await sealRows(api.service.db, 'api_key', 'id', id)
  expect([await works(first.body.key), await works(second.body.key)]).toEqual([false, true])
  const now = await ada.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 0 })
  expect(now.body.previousUntil).toBeNull()
  expect([await works(second.body.key), await works(now.body.key)]).toEqual([false, true])
  const rows = await rowsOf(api.service.db, 'audit_event', { type: 'key.created' }, 'document')
  const details = rows.map((row) => JSON.parse(row.document).detail)
  expect(details.filter((one) => one.keyId === id && one.rotated === true)).toHaveLength(3)
})

test('a key with an expiry ends by itself, and after a rotation lasts as long again', async () => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()
  const scopes = ['runs:read']
  const past = await ada.post('/v1/keys', { name: 'late', scopes, expiresAt: days(-1) })
  expect(past).toMatchObject({ status: 422, body: { code: 'invalid_request', field: 'expiresAt' } })
  const { body } = await ada.post('/v1/keys', { name: 'brief', scopes, expiresAt: days(10) })
  const { db } = api.service
  const row = db.updateTable('api_key').where('id', '=', body.id)
  // Nine days have passed.
  const earlier = new Date(Date.now() - 9 * 86_400_000)
  await row.set({ created_at: earlier, expires_at: days(1) }).execute()
  await sealRows(db, 'api_key', 'id', body.id)
  const rotated = await ada.post(`/v1/keys/${body.id}/rotate`)
  expect(Date.parse(rotated.body.expiresAt)).toBeGreaterThan(Date.parse(days(9)))
  await row.set({ expires_at: days(-1) }).execute()
  for (const one of [body.key, rotated.body.key]) {
    expect((await api.ask('/v1/me', { headers: bearer(one) })).status).toBe(401)
  }
  expect(await ada.post(`/v1/keys/${body.id}/rotate`)).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  })
})

test("nobody rotates another person's key, and no key that was revoked", async () => {
  const { id, key } = await createKey(ada, ['runs:read'])
  const grace = await api.signIn(api.people.grace)
  expect(await grace.post(`/v1/keys/${id}/rotate`)).toMatchObject({ status: 404 })
  const asKey = await api.ask(`/v1/keys/${id}/rotate`, {
    method: 'POST',
    body: {},
    headers: bearer(key),
  })
  expect(asKey.status).toBe(403)
  await ada.delete(`/v1/keys/${id}`)
  expect(await ada.post(`/v1/keys/${id}/rotate`)).toMatchObject({ status: 409 })
})
