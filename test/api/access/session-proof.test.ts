import { expect, test } from 'vitest'
import { newToken } from '#services/access/token.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { cookieOf, createTestApi, developmentToken, type Reply } from '../test-api.ts'

const api = disposeAfterTests(await createTestApi())

/**
 * What a browser sends by itself; a server that holds a cookie can send the same, or none of it.
 */
const browserHeaders = {
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
}

const login = (headers: Record<string, string>): Promise<Reply> =>
  api.ask('/v1/auth/dev-login', {
    method: 'POST',
    body: { email: 'grace@example.com', token: developmentToken },
    headers,
  })

async function signInAsBrowser() {
  const proof = newToken()
  const reply = await login({ ...browserHeaders, 'x-countersign-session': proof })
  expect(reply.status).toBe(200)
  const without = {
    ...browserHeaders,
    cookie: cookieOf(reply),
    'x-csrf-token': String(reply.body.csrfToken),
    origin: api.url,
  }
  return { proof, headers: { ...without, 'x-countersign-session': proof }, without }
}

async function refusals(why: string): Promise<unknown[]> {
  const rows = await rowsOf(api.service.db, 'audit_event', { type: 'session.refused' }, 'document')
  return rows.map((row) => JSON.parse(row.document).detail).filter((detail) => detail.why === why)
}

// Rules: security.md 39
test('a browser signs in only with what its origin keeps, and is told so otherwise', async () => {
  const reply = await login(browserHeaders)
  expect(reply).toMatchObject({ status: 401, body: { code: 'session_unproven' } })
  expect(reply.body.detail).toContain('/sign-in')
  expect(reply.headers.getSetCookie()).toEqual([])
  expect(await refusals('no_proof')).toContainEqual({ method: 'browser', why: 'no_proof' })
  const short = await login({ 'x-countersign-session': 'short' })
  expect(short).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
})

// Rules: security.md 33, 39
test("the cookie of a browser's session is worth nothing alone, not even to read, and each such call is recorded", async () => {
  const { headers, without } = await signInAsBrowser()
  expect((await api.ask('/v1/me', { headers })).body.person.name).toBe('Grace')
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const request = await addRequest(api.service, run)
  const approval = { decision: 'approve', digest: request.digest, revision: 1 }
  const { cookie } = headers
  const others = [
    without,
    { cookie },
    { ...without, 'x-countersign-session': newToken() },
    { cookie, 'x-csrf-token': headers['x-csrf-token'], origin: api.url },
  ]
  for (const stolen of others) {
    for (const path of ['/v1/me', '/v1/requests', `/v1/requests/${request.id}`, '/v1/events']) {
      const reply = await api.ask(path, { headers: stolen })
      expect(reply).toMatchObject({ status: 401, body: { code: 'session_unproven' } })
      expect(reply.text).not.toContain('Grace')
    }
    for (const path of [`/v1/requests/${request.id}/decisions`, '/v1/auth/logout', '/v1/keys']) {
      const reply = await api.ask(path, { method: 'POST', body: approval, headers: stolen })
      expect(reply).toMatchObject({ status: 401, body: { code: 'session_unproven' } })
    }
  }
  const recorded = await refusals('no_proof')
  expect(recorded).toContainEqual(
    expect.objectContaining({ method: 'session', personId: api.people.grace.id }),
  )
  // A poll does not fill the trail: once a minute for a session.
  expect(recorded.length).toBeLessThan(5)
  const path = `/v1/requests/${request.id}/decisions`
  expect((await api.ask(path, { method: 'POST', body: approval, headers })).status).toBe(200)
})

// Rules: security.md 39
test("a program's session works with its cookie alone, and in no browser", async () => {
  const program = await api.signIn(api.people.grace)
  expect((await program.get('/v1/me')).status).toBe(200)
  expect((await program.get('/v1/me', { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  expect((await program.get('/v1/me', { 'sec-fetch-mode': 'cors' })).status).toBe(200)
  for (const dest of ['empty', 'document', 'image', 'script']) {
    const reply = await program.get('/v1/me', { 'sec-fetch-dest': dest })
    expect(reply).toMatchObject({ status: 401, body: { code: 'session_unproven' } })
  }
  expect(await refusals('program_in_browser')).toHaveLength(1)
  const { items } = (await program.get('/v1/sessions')).body
  expect(items.find((one: { current: boolean }) => one.current).bound).toBe(false)
})

// Rules: security.md 21, 39
test('signing in again ends the session it replaces; whoever has only its cookie ends nothing', async () => {
  const first = await signInAsBrowser()
  const { cookie } = first.headers
  const elsewhere = await login({ cookie, 'x-countersign-session': newToken() })
  expect(elsewhere.status).toBe(200)
  const still = await api.ask('/v1/me', { headers: first.headers })
  expect(still.status).toBe(200)
  const again = await login({ ...browserHeaders, cookie, 'x-countersign-session': first.proof })
  expect(again.status).toBe(200)
  expect((await api.ask('/v1/me', { headers: first.headers })).status).toBe(401)
})

test('after a switch to another person of the development profile the new session needs its own proof', async () => {
  const { headers, proof } = await signInAsBrowser()
  const body = { email: 'ada@example.com' }
  const switched = await api.ask('/v1/auth/dev-switch', { method: 'POST', body, headers })
  expect(switched.body.person.name).toBe('Ada')
  const cookie = cookieOf(switched)
  expect((await api.ask('/v1/me', { headers: { cookie } })).status).toBe(401)
  const proven = { cookie, 'x-countersign-session': proof }
  expect((await api.ask('/v1/me', { headers: proven })).body.person.name).toBe('Ada')
})
