import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { addSession, registeredPasskey } from '../../harness/fixtures/keys/registered-passkey.ts'
import { softwarePasskey } from '../../harness/fixtures/keys/software-passkey.ts'
import { endWithFiles } from '../../harness/fixtures/result-with-files.ts'
import { createTestApi, developmentToken } from '../test-api.ts'
import { rowsOfPerson } from './rows-of-person.ts'

const api = disposeAfterTests(await createTestApi())
const olga = await api.signIn(api.people.olga)

/** These operations check a signature or a file of the host, and no session. */
const withoutSession = ['askForDeployment', 'postSlackInteraction', 'startFromTrigger']

/** Valid bodies of sign-ins, which are judged only after their body was read. */
const bodies: Readonly<Record<string, object>> = {
  signInForDevelopment: { email: 'ada@example.com', token: developmentToken },
  createHostLink: { email: 'ada@example.com', token: 'x'.repeat(43) },
  signInWithLink: { token: 'x'.repeat(43) },
  signInWithPasskey: { response: softwarePasskey().get({ challenge: 'AAAA' }) },
}

interface Operation {
  readonly operationId: string
}

async function allOperations(): Promise<{ id: string; method: string; path: string }[]> {
  const { body } = await api.ask('/openapi.json')
  const paths = body.paths as Record<string, Record<string, Operation>>
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => ({
      id,
      method: method.toUpperCase(),
      path,
    })),
  )
}

const changingOperations = async () =>
  (await allOperations()).filter(({ method }) => method !== 'GET')

// Rules: security.md 33, 39
test('a page of another site changes nothing with any operation, though it has the cookie, the token and the proof, and each attempt is in the trail', async () => {
  const operations = await changingOperations()
  expect(operations.length).toBeGreaterThan(50)
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost.evil.example:4400' },
    { 'sec-fetch-site': 'same-site' },
  ]
  const attempts = new Set<string>()
  for (const { id, method, path } of operations) {
    const address = path.replaceAll(/\{\w+\}/g, uuidv7())
    for (const headers of foreign) {
      const reply = await api.ask(address, {
        method,
        headers: { ...olga.headers, 'content-type': 'application/json', ...headers },
        body: bodies[id] ?? {},
      })
      const expected = withoutSession.includes(id) ? [401, 404] : [403, 404]
      const where = `${id} ${JSON.stringify(headers)}: ${reply.status} ${reply.text}`
      expect(expected, where).toContain(reply.status)
      if (reply.status === 403)
        expect(['csrf_failed', 'forbidden'], where).toContain(reply.body.code)
      if (reply.status === 403) attempts.add(`${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
      if (reply.status === 401) attempts.add(id)
    }
  }
  // Each of them is in the trail, also of operations that need no session.
  const { rows } = await sql<{ attempt: string }>`
    select distinct document::jsonb -> 'detail' ->> 'attempt' as attempt from audit_event
    where type = 'attempt.refused'
  `.execute(api.database.db)
  const recordedAttempts = new Set(rows.map(({ attempt }) => attempt))
  expect(attempts.size).toBeGreaterThan(70)
  expect([...attempts].filter((attempt) => !recordedAttempts.has(attempt))).toEqual([])
  expect((await olga.get('/v1/me')).status).toBe(200)
})

// Rules: security.md 12
test('no operation that reads decides, whatever its address and its headers say', async () => {
  const grace = await api.signIn(api.people.grace)
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const { id, digest } = await addRequest(api.service, run)
  const form = `decision=approve&digest=${digest}&revision=1&_method=POST`
  const overrides = { 'x-http-method-override': 'POST', 'x-method-override': 'POST' }
  const paths = ['/decisions', '/claim', '/comments', '/extend', '/revoke', '/settle', '/consume']
  const addresses = [...paths.map((path) => `/v1/requests/${id}${path}`), `/v1/requests/${id}`]
  for (const address of [...addresses, '/v1/decisions', `/requests/${id}`]) {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const headers = { ...grace.headers, ...overrides }
      const reply = await api.ask(`${address}?${form}`, { method, headers })
      expect([200, 404, 405, 422], `${method} ${address}`).toContain(reply.status)
    }
  }
  const { body } = await grace.get(`/v1/requests/${id}`)
  expect(body).toMatchObject({ state: 'pending', decisions: [], claim: null, comments: [] })
})

// Rules: security.md 22, 24, 34
test('no operation reads a body that two readers of JSON could read differently, or that is no JSON', async () => {
  const json = { 'content-type': 'application/json' }
  const refused: readonly (readonly [
    body: string,
    headers: Record<string, string>,
    status: number,
  ])[] = [
    ['{"decision":"deny","decision":"approve"}', json, 422],
    ['{"decision":"deny","dec\\u0069sion":"approve"}', json, 422],
    ['{"a":{"__proto__":{"isAdmin":true}}}', json, 422],
    ['{"revision":9007199254740993}', json, 422],
    ['{"revision":1e400}', json, 422],
    ['{"a":"\\ud800"}', json, 422],
    ['{"a":1}{"a":2}', json, 422],
    ['a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['{}', { 'content-type': 'text/plain' }, 415],
    ['{}', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 415],
  ]
  const overrides = { 'x-http-method-override': 'GET', 'x-method-override': 'GET' }
  for (const { id, method, path } of await changingOperations()) {
    if (withoutSession.includes(id)) continue
    const address = path.replaceAll(/\{\w+\}/g, uuidv7())
    for (const [rawBody, headers, status] of refused) {
      const reply = await api.ask(address, {
        method,
        rawBody,
        headers: { ...olga.headers, ...headers, ...overrides },
      })
      expect(reply.status, `${id} ${rawBody}: ${reply.text}`).toBe(status)
    }
  }
  expect((await olga.get('/v1/me')).status).toBe(200)
})

// Rules: security.md 22
test('every operation answers people and keys about what they may not see as about what does not exist', async () => {
  const { ada, grace } = api.people
  const owner = await api.signIn(grace)
  const stranger = await api.signIn(api.people.edsger)
  const run = await addRun(api.service, { startedBy: ada })
  const { id, callId, digest } = await addRequest(api.service, run)
  const bytes = Buffer.from('bytes')
  const [file] = await endWithFiles(api.database.db, callId, [{ mediaType: 'text/plain', bytes }])
  const key = (await owner.post('/v1/keys', { name: 'hers', scopes: ['runs:read'] })).body.id
  const session = await addSession(api.service.ctx, grace)
  const { credentialId } = await registeredPasskey(api.service.ctx, grace, session, null)
  const sessionId = (await owner.get('/v1/sessions')).body.items[0].id
  const [none, noNumber] = [uuidv7(), '999999']
  const pairs: readonly (readonly [path: string, there: string, absent: string])[] = [
    ['/v1/runs/{id}', run.id, none],
    ['/v1/runs/{id}', '1', noNumber],
    ['/v1/requests/{id}', id, none],
    ['/v1/requests/{id}', '1', noNumber],
    ['/v1/calls/{id}', callId, none],
    ['/v1/keys/{id}', key, '0123456789abcdef'],
    ['/v1/sessions/{id}', sessionId, none],
    ['/v1/credentials/{id}', credentialId, none],
    ['/v1/people/{email}', 'grace@example.com', 'nobody@example.com'],
    ...(await rowsOfPerson(api.database.db, grace.id, { runId: run.id, requestId: id, digest })),
  ]
  const params = (await allOperations()).filter(({ path }) => path.includes('{'))
  const untested = params.filter(({ path }) => !pairs.some(([start]) => path.startsWith(start)))
  // Everybody may read the names in the policy. A tile belongs to the whole log.
  const open = /^\/v1\/(workers|schedules|triggers|deployments)\/\{name\}|^\/v1\/audit\/log\//
  expect(untested.filter(({ path }) => !open.test(path))).toEqual([])
  const judged = { digest, revision: 1 }
  const input = { path: 'notes/1.md', content: 'x' }
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const contents: Readonly<Record<string, object>> = {
    decideRequest: { decision: 'deny', reason: 'x', ...judged },
    createChallenge: { decision: 'approve', ...judged },
    consumePermit: { digest },
    reviseRequest: { input, ...judged },
    handOverRequest: { to: 'linus@example.com' },
    snoozeRequest: { until },
    extendRequest: { expiresAt: until },
    answerQuestion: { text: 'x' },
    settleOutcome: { ran: true, reason: 'x' },
    revokeApproval: { reason: 'x' },
    reportOutcome: { state: 'succeeded' },
    commentRequest: { text: 'x' },
    editComment: { text: 'x' },
    postMessage: { text: 'x' },
    forkRun: { afterTurn: 0 },
    invokeTool: { tool: 'x', input: {} },
    renameCredential: { name: 'x' },
    eraseRequest: { why: 'x' },
    erasePerson: { why: 'x' },
  }
  const scopes = ['runs:read', 'runs:write', 'requests:read', 'requests:write', 'audit:read']
  const made = (await stranger.post('/v1/keys', { name: 'all', scopes })).body.key
  const callers = [stranger.headers, { authorization: `Bearer ${made}` }]
  let refusals = 0
  for (const { id: operation, method, path } of await allOperations()) {
    for (const [start, there, absent] of pairs) {
      if (!path.startsWith(start)) continue
      const asCaller = async (headers: Record<string, string>) => {
        const answers = [there, absent].map(async (one) => {
          const address = path
            .replace(/\{\w+\}/, one)
            .replace('{hash}', file?.hash ?? '')
            .replace('{stream}', 'stdout')
            .replace('{n}', '1')
            .replace('{commentId}', none)
          const body = contents[operation] ?? {}
          const read = method === 'GET' || method === 'DELETE'
          const reply = await api.ask(address, { method, headers, ...(read ? {} : { body }) })
          const { requestId: _, ...facts } = reply.body
          const text = JSON.stringify(facts).replaceAll(new RegExp(` ${one}(?![\\w-])`, 'g'), ' it')
          const ofAnswer = ['date', 'x-request-id', 'content-length']
          const sent = [...reply.headers].filter(([name]) => !ofAnswer.includes(name))
          return [reply.status, text, sent]
        })
        const [seen, unseen] = await Promise.all(answers)
        expect(seen, `${operation} ${there}`).toEqual(unseen)
        if (seen?.[0] === 404) refusals += 1
      }
      await Promise.all(callers.map(asCaller))
    }
  }
  expect(refusals).toBeGreaterThan(100)
})
