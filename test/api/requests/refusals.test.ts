import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { createTestApi } from '../test-api.ts'

let requestId = ''
let digest = ''

const api = disposeAfterTests(await createTestApi())
const grace = await api.signIn(api.people.grace)
const run = await addRun(api.service, { startedBy: api.people.ada })
const request = await addRequest(api.service, run)
requestId = request.id
digest = request.digest

const post = (path: string, rawBody: string, headers: Record<string, string> = {}) =>
  api.ask(path, {
    method: 'POST',
    rawBody,
    headers: { ...grace.headers, 'content-type': 'application/json', ...headers },
  })

test('every refusal is a problem document with its code and the id in the log', async () => {
  const reply = await api.ask('/v1/nothing')
  expect(reply.status).toBe(404)
  expect(reply.headers.get('content-type')).toContain('application/problem+json')
  expect(reply.body).toEqual({
    type: 'urn:countersign:problem:not_found',
    title: 'Not found',
    status: 404,
    code: 'not_found',
    detail: expect.any(String),
    requestId: reply.headers.get('x-request-id'),
  })
})

test('a known path with another method is 405 and says which are allowed', async () => {
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const reply = await api.ask('/v1/me', { method })
    expect(reply).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(reply.headers.get('allow')).toBe('GET, HEAD')
  }
  expect((await grace.get(`/v1/requests/${requestId}/decisions`)).status).toBe(405)
  for (const path of ['/openapi.json', '/schemas/worker.schema.json', '/healthz']) {
    const reply = await api.ask(path, { method: 'POST' })
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
})

test.each([
  ['/v1/runs?limit=0', 'limit: must be a whole number from 1 to 200'],
  ['/v1/runs?limit=201', 'limit: must be a whole number from 1 to 200'],
  ['/v1/runs?limit=1.5', 'limit: must be a whole number from 1 to 200'],
  ['/v1/runs?limit=1&limit=2', 'limit: must be a whole number from 1 to 200'],
  ['/v1/requests?runId=x7', 'runId: is neither an id nor a number'],
  [
    '/v1/audit?from=yesterday',
    'from: must be an instant with its time zone, such as 2026-01-31T12:00:00Z',
  ],
])('%s is refused with what would be right', async (path, detail) => {
  expect(await grace.get(path)).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', detail },
  })
})

test.each([
  ['/v1/policy/explain', {}, 'worker: is missing'],
  ['/v1/policy/explain', [], 'The body: must be an object'],
  [
    '/v1/requests/1/settle',
    { ran: 'yes', then: 'stop', reason: 'x' },
    'ran: must be true, false or null',
  ],
])('the refusal of a body for %s names what is wrong with it', async (path, body, detail) => {
  expect(await grace.post(path, body)).toMatchObject({ status: 422, body: { detail } })
})

test('a path with an invalid id is refused in words that a terminal may print', async () => {
  const reply = await grace.get('/v1/runs/seven')
  expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(reply.body.detail).toBe('This path does not exist: "seven" is neither an id nor a number')
  const long = await grace.get(`/v1/runs/${'x'.repeat(4000)}`)
  expect(`${long.body.detail}`.length).toBeLessThan(200)
})

test.each([
  '/v1/requests/%ff',
  '/v1/requests/%00',
  '/v1/requests/../../etc/passwd',
  '/v1/requests/0',
  '/v1/requests/-1',
  '/v1/requests/99999999999999999999',
  "/v1/requests/1' or '1'='1",
  '/v1/requests/00000000-0000-0000-0000-000000000000',
  '/v1/workers/%F0%9F%92%A9',
  '/v1/workers/__proto__',
  '/v1/workers/constructor',
])('%s names nothing', async (path) => {
  expect((await grace.get(path)).status).toBe(404)
})

test('unknown fields are refused, with the field named', async () => {
  const reply = await grace.post('/v1/policy/explain', {
    worker: 'scribe',
    tool: 'x',
    input: {},
    extra: 1,
  })
  expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request', field: 'extra' } })
  const query = await grace.get('/v1/workers?limt=1')
  expect(query).toMatchObject({ status: 422, body: { code: 'invalid_request', field: 'limt' } })
})

// Rules: security.md 22
test('a decision with a key twice is refused and changes nothing', async () => {
  const body = `{"decision":"deny","digest":"${digest}","revision":1,"decision":"approve"}`
  const reply = await post(`/v1/requests/${requestId}/decisions`, body)
  expect(reply).toMatchObject({
    status: 422,
    body: {
      code: 'invalid_request',
      field: '',
      errors: [{ field: '', message: reply.body.detail }],
    },
  })
  expect(reply.body.detail).toContain('twice')
  expect(await api.service.db.selectFrom('decision').selectAll().execute()).toEqual([])
})

// Rules: product.md 6
test.each(['true', '1', 'null', '"yes"', '"Approve"', '"approve "', '["approve"]', '{}'])(
  'the decision %s is refused and changes nothing',
  async (decision) => {
    const body = `{"decision":${decision},"digest":"${digest}","revision":1}`
    const reply = await post(`/v1/requests/${requestId}/decisions`, body)
    expect(reply).toMatchObject({
      status: 422,
      body: {
        code: 'invalid_request',
        field: 'decision',
        errors: [{ field: 'decision', message: expect.any(String) }],
      },
    })
    expect(await api.service.db.selectFrom('decision').selectAll().execute()).toEqual([])
  },
)

// Rules: product.md 6
test('a decision without a digest is 428, with a wrong one 412 with the right one', async () => {
  const path = `/v1/requests/${requestId}/decisions`
  const without = await grace.post(path, { decision: 'approve', revision: 1 })
  expect(without).toMatchObject({ status: 428, body: { code: 'digest_required' } })
  const wrong = { decision: 'approve', digest: `sha256:${'0'.repeat(64)}`, revision: 1 }
  expect(await grace.post(path, wrong)).toMatchObject({
    status: 412,
    body: { code: 'stale_digest', digest },
  })
  expect(await api.service.db.selectFrom('decision').selectAll().execute()).toEqual([])
})

// Rules: security.md 12
test('GET and HEAD decide nothing', async () => {
  for (const method of ['GET', 'HEAD']) {
    const reply = await api.ask(
      `/v1/requests/${requestId}/decisions?decision=approve&digest=${digest}&revision=1`,
      { method, headers: grace.headers },
    )
    expect(reply.status).toBe(405)
  }
  expect(await api.service.db.selectFrom('decision').selectAll().execute()).toEqual([])
})

// Rules: security.md 24
test('a body over 12 MiB is 413, one that is compressed or no JSON 415, one that is broken 422', async () => {
  const path = '/v1/policy/explain'
  expect((await post(path, `"${'x'.repeat(12 * 1024 * 1024)}"`)).body.code).toBe('too_large')
  const stranger = { method: 'POST', rawBody: `"${'x'.repeat(17_000)}"` }
  expect((await api.ask('/v1/auth/link', stranger)).body.code).toBe('too_large')
  expect((await post(path, '{}', { 'content-encoding': 'gzip' })).status).toBe(415)
  for (const type of [
    'text/json',
    'application/json; charset=utf-16',
    'application/json;charset="latin1"',
  ]) {
    expect((await post(path, '{}', { 'content-type': type })).status, type).toBe(415)
  }
  const named = { 'content-type': 'application/json; charset=UTF-8' }
  expect((await post(path, '{}', named)).status).toBe(422)
  for (const broken of ['{', '{} {}', '[', '"\\ud800"', '[]', '"text"', 'null', '7']) {
    expect((await post(path, broken)).status).toBe(422)
  }
})

// Rules: security.md 21
test('a session may ask as often in a second as the limit says', async () => {
  await using hundred = await createTestApi({ settings: { requestsPerSecond: 100 } })
  const ada = await hundred.signIn(hundred.people.ada)
  const replies = await Promise.all(Array.from({ length: 100 }, () => ada.get('/v1/me')))
  expect(replies.every((reply) => reply.status === 200)).toBe(true)
})

// Rules: security.md 21
test('a session beyond its limit gets 429 with retry-after, and other sessions do not', async () => {
  await using limited = await createTestApi({ settings: { requestsPerSecond: 2 } })
  const ada = await limited.signIn(limited.people.ada)
  const grace = await limited.signIn(limited.people.grace)
  const flood = Promise.all(Array.from({ length: 60 }, () => ada.get('/v1/me')))
  expect((await grace.get('/v1/me')).status).toBe(200)
  const refused = (await flood).find((reply) => reply.status === 429)
  expect(refused?.body.code).toBe('rate_limited')
  expect(refused?.headers.get('retry-after')).toBe('1')
})

// Rules: security.md 19
test('no answer about people is kept in a cache, framed, or may run a script of anybody else', async () => {
  const reply = await grace.get('/v1/me')
  expect(reply.headers.get('cache-control')).toBe('no-store')
  const policy = reply.headers.get('content-security-policy') ?? ''
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types countersign-service-worker countersign-paint-worker',
  ]) {
    expect(policy.split(';')).toContain(rule)
  }
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
  expect(reply.headers.get('x-powered-by')).toBeNull()
  expect(reply.headers.get('access-control-allow-origin')).toBeNull()
})

test('the answer while the database is unreachable is 503 with a sentence and without the text of the error', async () => {
  const broken = await createTestApi()
  const linus = await broken.signIn(broken.people.linus)
  const db = broken.service.ctx.db
  const { selectFrom } = db
  db.selectFrom = () => {
    throw Object.assign(new Error('connect ECONNREFUSED secret-host'), { code: 'ECONNREFUSED' })
  }
  const reply = await linus.get('/v1/me')
  db.selectFrom = selectFrom
  await broken[Symbol.asyncDispose]()
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(reply.text).not.toContain('secret-host')
})
