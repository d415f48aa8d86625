import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { createTestApi } from '../test-api.ts'

const api = disposeAfterTests(await createTestApi())
const run = await addRun(api.service, { startedBy: api.people.ada })
await addRequest(api.service, run)

test('insights are of the last 30 days by queue unless asked otherwise, and the list has the rule as a filter', async () => {
  const grace = await api.signIn(api.people.grace)
  const { body } = await grace.get('/v1/insights')
  expect(body).toMatchObject({ by: 'queue', items: [{ key: 'platform', opened: 1, waiting: 1 }] })
  expect(Date.parse(body.to) - Date.parse(body.from)).toBe(30 * 24 * 3_600_000)
  const [rule] = (await grace.get('/v1/insights?by=rule')).body.items
  const list = async (id: string) =>
    (await grace.get(`/v1/requests?rule=${encodeURIComponent(id)}`)).body.items
  expect(await list(rule.key)).toHaveLength(1)
  expect(await list('another')).toEqual([])
  expect((await grace.get('/v1/insights/proposals')).body).toEqual({ items: [] })
})

test.each(['by=nothing', 'from=yesterday', 'from=2026-01-01T00:00:00Z&to=2026-12-31T00:00:00Z'])(
  '%s is refused',
  async (query) => {
    const grace = await api.signIn(api.people.grace)
    const reply = await grace.get(`/v1/insights?${query}`)
    expect(reply.body).toMatchObject({ status: 422, code: 'invalid_request' })
  },
)

test('nobody without a session or the scope requests:read reads insights', async () => {
  const ada = await api.signIn(api.people.ada)
  const key = await ada.post('/v1/keys', { name: 'a program', scopes: ['runs:read'] })
  const headers = { authorization: `Bearer ${key.body.key}` }
  for (const path of ['/v1/insights', '/v1/insights/attention', '/v1/insights/proposals']) {
    expect((await api.ask(path)).status).toBe(401)
    expect((await api.ask(path, { headers })).status).toBe(403)
  }
})

// Rules: security.md 17
test('a secret in what an agent asked for is masked in what deserves a look', async () => {
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const request = await addRequest(api.service, run, { position: 9, input: { path: secret } })
  await sql`update request set state = 'expired' where id = ${request.id}`.execute(api.service.db)
  const grace = await api.signIn(api.people.grace)
  const { body } = await grace.get('/v1/insights/attention')
  expect(body.expiredUnseen.count).toBe(1)
  expect(JSON.stringify(body)).not.toContain(secret)
})
