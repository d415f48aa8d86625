import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { auditDocuments } from '../harness/fixtures/events-about.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { addRun } from '../harness/fixtures/gated-run.ts'
import { createTestApi } from './test-api.ts'

const api = disposeAfterTests(await createTestApi())
const aud = await api.signIn(api.people.aud)
const { id } = await addRun(api.service, { startedBy: api.people.ada })
await addRun(api.service, { startedBy: api.people.ada })
await sql`
    update run set state = 'completed', ended_at = now() - interval '100 days' where id = ${id}
  `.execute(api.database.db)
await sql`
    insert into outbox (kind, payload, created_at, delivered_at)
      select 'signal_decided', '{}', now() - interval '40 days', now() from generate_series(1, 3)
  `.execute(api.database.db)

test('the records that a rule would remove are counted before anybody sets the rule, and none is removed', async () => {
  const preview = await aud.get('/v1/retention?transcripts=90d&records=30d')
  expect(preview.body).toEqual({
    transcripts: { rule: 'transcripts: 90d', runs: 1 },
    records: {
      rule: 'records: 30d',
      outbox: 3,
      events: 0,
      deliveries: 0,
      idempotencyKeys: 0,
      sessions: 0,
      signInLinks: 0,
    },
  })
  expect((await aud.get('/v1/retention?transcripts=90d')).body.transcripts.runs).toBe(1)
  expect((await aud.get('/v1/retention?transcripts=101d')).body.transcripts.runs).toBe(0)
  expect((await aud.get('/v1/retention')).body).toEqual({ transcripts: null, records: null })
})

test('an archive has every run that ended before, and its hash is an event of the trail', async () => {
  const before = new Date(Date.now() - 50 * 86_400_000).toISOString()
  const { status, text } = await aud.get(`/v1/runs-archive?before=${before}`)
  expect(status).toBe(200)
  const lines = text.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { run: { state: 'completed', worker: 'scribe' }, transcript: [] },
  ])
  const events = await auditDocuments(api.database.db, { type: 'audit.exported' })
  expect(events.map(({ detail }) => detail)).toEqual([
    { format: 'archive', before },
    { format: 'archive', before, runs: 1, leftOut: 0, digest: hashBytes(Buffer.from(text)) },
  ])
})

test('only people with the right readAudit are told, and a duration has a unit', async () => {
  const grace = await api.signIn(api.people.grace)
  expect(await grace.get('/v1/retention')).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  })
  expect((await grace.get('/v1/runs-archive?before=2026-01-01T00:00:00Z')).status).toBe(403)
  expect(await aud.get('/v1/retention?transcripts=90')).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', field: 'transcripts' },
  })
})
