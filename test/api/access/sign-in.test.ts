import { request as httpRequest } from 'node:http'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createSignInLink } from '#services/access/sign-in/sign-in-link.ts'
import { cookieOf, createTestApi, developmentToken } from '../test-api.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { sealRows } from '../../harness/fixtures/keys/test-keys.ts'
import { rowsOf, setRows } from '../../harness/fixtures/rows.ts'
import { trailTypes } from '../../harness/fixtures/trail.ts'

const api = disposeAfterTests(await createTestApi())

const login = (body: unknown, headers: Record<string, string> = {}) =>
  api.ask('/v1/auth/dev-login', { method: 'POST', body, headers })

const link = (token: string) => api.ask('/v1/auth/link', { method: 'POST', body: { token } })

const auditTypes = (): Promise<string[]> => trailTypes(api.service.db, {})

// Rules: security.md 21
test('development sign-in starts a session in a cookie that scripts and other hosts cannot have', async () => {
  const reply = await login({ email: 'Grace@Example.com', token: developmentToken })
  expect(reply.status).toBe(200)
  expect(reply.body.person).toMatchObject({ name: 'Grace', teams: ['platform'] })
  const cookie = reply.headers.getSetCookie()[0] ?? ''
  expect(cookie).toMatch(/^__Host-countersign=[\w-]{43};/)
  for (const attribute of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict', 'Expires=']) {
    expect(cookie).toContain(attribute)
  }
  expect(cookie).not.toContain('Domain')
  const stored = await api.service.db.selectFrom('session').select('token_hash').execute()
  expect(stored.map((row) => row.token_hash).join()).not.toContain(cookieOf(reply).split('=')[1])
  expect(await auditTypes()).toContain('session.started')
})

test('a wrong token, an unknown and a disabled person are refused alike, and audited', async () => {
  const { db } = api.service
  await setRows(db, 'person', { name: 'Linus' }, { disabled_at: sql`now()` })
  const replies = [
    await login({ email: 'grace@example.com', token: 'wrong' }),
    await login({ email: 'nobody@example.com', token: developmentToken }),
    await login({ email: 'linus@example.com', token: developmentToken }),
  ]
  await db.updateTable('person').set({ disabled_at: null }).where('name', '=', 'Linus').execute()
  for (const reply of replies) {
    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(reply.headers.getSetCookie()).toEqual([])
  }
  expect(new Set(replies.map((reply) => reply.body.detail)).size).toBe(1)
  expect((await auditTypes()).filter((type) => type === 'session.refused')).toHaveLength(3)
})

test('a page of another site cannot sign anybody in', async () => {
  const body = { email: 'grace@example.com', token: developmentToken }
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    expect(await login(body, headers)).toMatchObject({ status: 403, body: { code: 'csrf_failed' } })
  }
})

test('signing in again ends the session it replaces', async () => {
  const first = await api.signIn(api.people.grace)
  const second = await login(
    { email: 'grace@example.com', token: developmentToken },
    { cookie: first.headers['cookie'] ?? '' },
  )
  expect(cookieOf(second)).not.toBe(first.headers['cookie'])
  expect((await first.get('/v1/me')).status).toBe(401)
})

test("signing in clears what a person's own sessions left behind, and records it", async () => {
  const { db } = api.service
  await api.signIn(api.people.aud)
  const hers = db.updateTable('session').where('person_id', '=', api.people.aud.id)
  await hers.set({ expires_at: sql`now() - interval '1 second'` }).execute()
  await api.signIn(api.people.aud)
  const left = await rowsOf(db, 'session', { person_id: api.people.aud.id }, 'token_hash')
  expect(left).toHaveLength(1)
  const ended = await rowsOf(db, 'audit_event', { type: 'session.ended' }, 'document')
  expect(ended.map((row) => JSON.parse(row.document).detail)).toContainEqual({
    personId: api.people.aud.id,
    sessionId: expect.any(String),
    why: 'expired',
  })
})

test('signing out ends the session in the store, and clears the cookie', async () => {
  const grace = await api.signIn(api.people.grace)
  const reply = await grace.post('/v1/auth/logout')
  expect(reply.status).toBe(200)
  expect(reply.headers.getSetCookie()[0]).toMatch(/^__Host-countersign=;.*Expires=Thu, 01 Jan 1970/)
  expect((await grace.get('/v1/me')).status).toBe(401)
})

// Rules: security.md 21
test('a session ends when it is idle too long, when it has expired, and with its person', async () => {
  const { db } = api.service
  const grace = await api.signIn(api.people.grace)
  expect((await grace.get('/v1/me')).status).toBe(200)
  const mine = db.updateTable('session').where('person_id', '=', api.people.grace.id)
  await mine.set({ last_seen_at: sql`now() - interval '12 hours 1 minute'` }).execute()
  expect((await grace.get('/v1/me')).status).toBe(401)
  await mine
    .set({ last_seen_at: sql`now()`, expires_at: sql`now() - interval '1 second'` })
    .execute()
  expect((await grace.get('/v1/me')).status).toBe(401)
  await mine.set({ expires_at: sql`now() + interval '1 day'` }).execute()
  await sealRows(db, 'session', 'person_id', api.people.grace.id)
  expect((await grace.get('/v1/me')).status).toBe(200)
  const person = db.updateTable('person').where('id', '=', api.people.grace.id)
  await person.set({ disabled_at: sql`now()` }).execute()
  expect((await grace.get('/v1/me')).status).toBe(401)
  await person.set({ disabled_at: null }).execute()
})

test('a one-time link signs in once: of ten who race for it, one', async () => {
  const { token } = await createSignInLink(
    api.service.ctx,
    { actor: { type: 'system', name: 'start' }, channel: 'system' },
    { email: 'edsger@example.com' },
  )
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) => index).map(() => link(token)),
  )
  const losers = replies.filter((reply) => reply.status !== 200)
  expect(losers).toHaveLength(9)
  expect(losers.every((reply) => [401, 429].includes(reply.status))).toBe(true)
  expect(replies.find((reply) => reply.status === 200)?.body.person.name).toBe('Edsger')
})

// Rules: security.md 21
test('an address gets 429 with retry-after after ten failed sign-ins in a minute, and other addresses do not', async () => {
  await using fresh = await createTestApi()
  const attempt = () =>
    fresh.ask('/v1/auth/link', { method: 'POST', body: { token: 'x'.repeat(43) } })
  for (let count = 0; count < 10; count++) expect((await attempt()).status).toBe(401)
  const limited = await attempt()
  expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  // Development sign-in has a token of 256 bits and no limit.
  await expect(fresh.signIn(fresh.people.grace)).resolves.toBeDefined()
})

// Rules: security.md 21
test('ten of fifty simultaneous failed sign-ins are answered, and the others are told to wait', async () => {
  await using fresh = await createTestApi()
  const body = { token: 'x'.repeat(43) }
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => fresh.ask('/v1/auth/link', { method: 'POST', body })),
  )
  const count = (status: number) => replies.filter((reply) => reply.status === status).length
  expect([count(401), count(429)]).toEqual([10, 40])
})

test('an expired link does not sign in', async () => {
  await using fresh = await createTestApi()
  const { token } = await createSignInLink(
    fresh.service.ctx,
    { actor: { type: 'system', name: 'start' }, channel: 'system' },
    { email: 'edsger@example.com' },
  )
  await setRows(
    fresh.service.db,
    'sign_in_link',
    {},
    { expires_at: sql`now() - interval '1 second'` },
  )
  expect((await fresh.ask('/v1/auth/link', { method: 'POST', body: { token } })).status).toBe(401)
})

// Rules: security.md 26
test('the routes of development sign-in do not exist without it, and nobody is named', async () => {
  await using production = await createTestApi({ settings: { developmentToken: null } })
  const body = { email: 'grace@example.com', token: developmentToken }
  const reply = await production.ask('/v1/auth/dev-login', { method: 'POST', body })
  expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect((await production.ask('/v1/auth/methods')).body).toEqual({
    development: false,
    link: true,
    mail: false,
    oidc: null,
    people: [],
    command: 'countersign',
  })
})

test('a session of the development profile switches the person, and only to one the project names', async () => {
  const grace = await api.signIn(api.people.grace)
  const switched = await grace.post('/v1/auth/dev-switch', { email: 'ada@example.com' })
  expect(switched.body.person.name).toBe('Ada')
  expect((await grace.get('/v1/me')).status).toBe(401)
  const ada = { cookie: cookieOf(switched) }
  expect((await api.ask('/v1/me', { headers: ada })).body.person.name).toBe('Ada')
  const other = await api.signIn(api.people.grace)
  expect((await other.post('/v1/auth/dev-switch', { email: 'x@example.com' })).status).toBe(404)
})

test('nobody is somebody else for what a header or an address says: there is no impersonation', async () => {
  const edsger = await api.signIn(api.people.edsger)
  const identities = ['ada@example.com', api.people.ada.id]
  for (const other of identities) {
    const names = ['x-forwarded-user', 'x-remote-user', 'x-auth-request-email', 'x-impersonate']
    const headers = Object.fromEntries(names.map((name) => [name, other]))
    const me = await api.ask('/v1/me', { headers: { ...edsger.headers, ...headers } })
    expect(me.body.person.name).toBe('Edsger')
    expect((await api.ask('/v1/me', { headers })).status).toBe(401)
    for (const field of ['as', 'onBehalfOf', 'sudo'])
      expect((await edsger.get(`/v1/me?${field}=${other}`)).status).not.toBe(200)
  }
})

test('a state-changing call with a cookie needs the token, the origin and JSON', async () => {
  const grace = await api.signIn(api.people.grace)
  const { cookie = '', origin = '' } = grace.headers
  const token = grace.me.csrfToken ?? ''
  const logout = (headers: Record<string, string>, rawBody = '{}') =>
    api.ask('/v1/auth/logout', { method: 'POST', rawBody, headers: { cookie, ...headers } })
  const json = { 'content-type': 'application/json' }
  const good = { ...json, origin, 'x-csrf-token': token }
  const refused: [Record<string, string>, number][] = [
    [{ ...json, origin }, 403],
    [{ ...json, origin, 'x-csrf-token': 'wrong' }, 403],
    [{ ...json, 'x-csrf-token': token }, 403],
    [{ ...good, origin: 'null' }, 403],
    [{ ...good, origin: 'http://evil.example' }, 403],
    [{ ...good, 'sec-fetch-site': 'same-site' }, 403],
    [{ ...good, 'content-type': 'text/plain' }, 415],
    [{ ...good, 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ]
  for (const [headers, status] of refused) expect((await logout(headers)).status).toBe(status)
  expect((await grace.get('/v1/me')).status).toBe(200)
  expect(
    (await logout({ ...json, 'sec-fetch-site': 'same-origin', 'x-csrf-token': token })).status,
  ).toBe(200)
})

// Rules: security.md 26
test('a Host that is neither loopback nor the public address is refused', async () => {
  const statusFor = (host: string) =>
    new Promise<number>((resolve, reject) => {
      const { port } = new URL(api.url)
      const request = httpRequest(
        { host: '127.0.0.1', port, path: '/healthz', headers: { host } },
        (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        },
      )
      request.on('error', reject)
      request.end()
    })
  for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:4400', '127.9.9.9', '[::1]:80']) {
    expect(await statusFor(host)).toBe(200)
  }
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'a b',
  ]) {
    expect(await statusFor(host)).toBe(421)
  }
})
