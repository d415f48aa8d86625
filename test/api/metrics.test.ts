import { expect, test } from 'vitest'
import { sql } from 'kysely'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { coverAudit } from '../harness/fixtures/cover-audit.ts'
import { addRequest, addRun } from '../harness/fixtures/gated-run.ts'
import { createApiKey } from '#services/access/api-keys/create-api-key.ts'
import { createSignInLink } from '#services/access/sign-in/sign-in-link.ts'
import { cookieOf, createTestApi } from './test-api.ts'

const marker = 'hostile-7f3a-marker'

const logged: unknown[] = []

const log = (...line: unknown[]): void => void logged.push(line)
const api = disposeAfterTests(await createTestApi({ log: { info: log, warn: log, error: log } }))
const run = await addRun(api.service, { startedBy: api.people.ada })
const grace = await api.signIn(api.people.grace)

test('the figures are for people with the right readAudit and their keys with audit:read, and for nobody else', async () => {
  await using production = await createTestApi({ settings: { developmentToken: null } })
  const read = async (email: string) => {
    const host = { actor: { type: 'system', name: 'start' }, channel: 'system' } as const
    const { token } = await createSignInLink(production.service.ctx, host, { email })
    const signedIn = await production.ask('/v1/auth/link', { method: 'POST', body: { token } })
    return production.ask('/metrics', { headers: { cookie: cookieOf(signedIn) } })
  }
  expect((await production.ask('/metrics')).status).toBe(401)
  expect((await read('grace@example.com')).body).toMatchObject({ status: 403, code: 'forbidden' })
  const { grace: colleague, aud } = production.people
  for (const [owner, status] of [
    [colleague, 403],
    [aud, 200],
  ] as const) {
    const made = { name: 'prometheus', scopes: ['audit:read'], expiresAt: null } as const
    const { key } = await createApiKey(production.service.ctx, owner.caller, made)
    const headers = { authorization: `Bearer ${key}` }
    expect((await production.ask('/metrics', { headers })).status, owner.name).toBe(status)
  }
  const reply = await read('aud@example.com')
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(reply.text).toContain('process_cpu_seconds_total')
  expect(reply.text).toMatch(/countersign_up\{part="postgres"\} 1/)
  expect(reply.text).toMatch(/countersign_up\{part="temporal"\} 1/)
})

test('a collector reads the figures without a key in the development profile, which nobody else reaches', async () => {
  const reply = await api.ask('/metrics')
  expect(reply.status).toBe(200)
  expect(reply.text).toContain('process_cpu_seconds_total')
})

test('decisions, waiting requests and the answers of each route are counted, with labels that have only our own names', async () => {
  await using counted = await createTestApi()
  const own = await addRun(counted.service, { startedBy: counted.people.ada })
  const decided = await addRequest(counted.service, own, { position: 1 })
  for (const position of [2, 3]) await addRequest(counted.service, own, { position })
  const person = await counted.signIn(counted.people.grace)
  const reply = await person.post(`/v1/requests/${decided.id}/decisions`, {
    decision: 'approve',
    digest: decided.digest,
    revision: 1,
  })
  expect(reply.status).toBe(200)
  await sql`
    insert into outbox (run_id, kind, payload) values (${own.id}, 'signal_decided', '{}')
  `.execute(counted.database.db)
  await coverAudit(counted.database.db)
  const { text } = await (await counted.signIn(counted.people.aud)).get('/metrics')
  expect(text).toMatch(/countersign_decisions_total\{decision="approve",channel="dashboard"\} 1/)
  expect(text).toMatch(/countersign_requests_pending\{queue="platform"\} 2/)
  expect(text).toMatch(/countersign_request_oldest_seconds\{queue="platform"\} [\d.]+/)
  expect(text).toMatch(/countersign_outbox_pending [1-9]/)
  expect(text).toMatch(/countersign_audit_sequencer_lag_seconds 0/)
  expect(text).toMatch(/countersign_runs\{state="\w+"\} 1/)
  expect(text).toMatch(
    /duration_seconds_count\{method="POST",route="\/v1\/requests\/:id\/decisions",status="200"\} 1/,
  )
  expect(text).toMatch(/countersign_database_connections\{state="idle"\} \d/)
  expect(text).not.toContain(decided.id)
  expect(text).not.toContain(own.id)
})

test('an answer has the id that a proxy gave its request, and no other word of a caller', async () => {
  const idOf = async (requestId: string): Promise<string | null> =>
    (await api.ask('/healthz', { headers: { 'x-request-id': requestId } })).headers.get(
      'x-request-id',
    )
  const requestId = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736'
  expect(await idOf(requestId)).toBe(requestId)
  expect(await idOf(requestId.replaceAll('-', ''))).toBe(requestId.replaceAll('-', ''))
  expect(await idOf(marker)).toMatch(/^[0-9a-f-]{36}$/)
})

// Rules: security.md 25
test('the text of a caller in a path, query, header, method or body is in no figure and in no line of the log', async () => {
  const request = await addRequest(api.service, run, { position: 50 })
  const reason = { reason: marker, comment: marker }
  const decision = { decision: 'deny', digest: request.digest, revision: 1, reason: marker }
  await grace.post(`/v1/requests/${request.id}/comments`, { text: marker })
  await grace.post(`/v1/requests/${request.id}/decisions`, { ...decision, [marker]: 1 })
  expect((await grace.post(`/v1/requests/${request.id}/decisions`, decision)).status).toBe(200)
  await grace.post(`/v1/runs/${run.id}/cancel`, reason)
  await grace.post(`/v1/${marker}`, reason)
  await grace.get(`/v1/requests?q=${marker}&cursor=${marker}&queue=${marker}`)
  await grace.get(`/v1/runs/${marker}`, { 'user-agent': marker, referer: marker })
  await api.ask(`/${marker}`, { method: 'PROPFIND', headers: { 'x-request-id': marker } })
  await api.ask('/v1/me', { headers: { authorization: `Bearer ${marker}` } })
  await api.ask('/v1/me', { headers: { cookie: `__Host-countersign=${marker}` } })
  await api.ask('/v1/auth/dev-login', { method: 'POST', body: { email: marker, token: marker } })
  await api.ask('/v1/auth/dev-login', { method: 'POST', rawBody: `{"${marker}": ` })
  const { text } = await api.ask('/metrics')
  expect(text).toContain('method="other"')
  expect(text).not.toContain(marker)
  expect(logged.length).toBeGreaterThan(8)
  expect(JSON.stringify(logged)).not.toContain(marker)
})
