import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { currentRequest } from '#services/core/current-request.ts'
import { connectDatabase } from '#store/database.ts'
import { openCommitCutter } from '../../harness/outages/cut-commits.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun, type TestRequest } from '../../harness/fixtures/gated-run.ts'
import { createTestDatabase } from '../../harness/postgres.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { createTestApi } from '../test-api.ts'

const database = disposeAfterTests(await createTestDatabase())
const cutter = disposeAfterTests(await openCommitCutter(database.url))
/** As a process that serves has it: through the cutter, and with a bound for each statement. */
const db = connectDatabase({
  url: cutter.url,
  poolSize: 8,
  applicationName: 'attacked',
  callerNow: () => currentRequest.getStore()?.caller,
  maxAnswerMs: 400,
})
const api = disposeAfterTests(
  await createTestApi({
    database: { url: cutter.url, db, [Symbol.asyncDispose]: () => db.destroy() },
  }),
)
const grace = await api.signIn(api.people.grace)

async function open(): Promise<TestRequest> {
  return addRequest(api.service, await addRun(api.service, { startedBy: api.people.ada }))
}

const bodyOf = ({ digest, revision }: TestRequest) => ({ decision: 'approve', digest, revision })

const decide = (request: TestRequest, headers: Record<string, string> = {}) =>
  grace.post(`/v1/requests/${request.id}/decisions`, bodyOf(request), headers)

/** What the database has recorded, whatever the answers said. */
async function recorded(request: TestRequest) {
  const { rows } = await sql<{ state: string; decisions: number; permits: number }>`
    select state, (select count(*)::int from decision where request_id = request.id) as decisions,
      (select count(*)::int from permit where request_id = request.id) as permits
    from request where id = ${request.id}
  `.execute(database.db)
  return rows[0]
}

const approvedOnce = { state: 'approved', decisions: 1, permits: 1 }

// Rules: product.md 7; security.md 42
describe('a decision that is committed while its answer is lost', () => {
  test('counts once: nobody is told that nothing changed, and the same call again gets its answer', async () => {
    const request = await open()
    const key = { 'idempotency-key': randomUUID() }
    const cut = cutter.cutNext()
    const lost = await decide(request, key)
    await cut
    expect(lost).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(lost.body.detail).not.toMatch(/nothing was changed/)
    expect(lost.body).not.toHaveProperty('nothingChanged')
    await waitUntil(async () => (await recorded(request))?.state === 'approved')
    expect(await decide(request, key)).toMatchObject({ status: 200, body: { state: 'approved' } })
    expect(await decide(request)).toMatchObject({
      status: 409,
      body: { code: 'already_decided', decidedBy: 'Grace' },
    })
    expect(await recorded(request)).toEqual(approvedOnce)
  })

  test('alone or among others: of several, each is told as it is', async () => {
    const requests = [await open(), await open(), await open()]
    const decisions = requests.map((request) => ({
      requestId: request.id,
      seen: request.presentationDigest,
      ...bodyOf(request),
    }))
    const key = { 'idempotency-key': randomUUID() }
    const cut = cutter.cutNext()
    await grace.post('/v1/decisions', { decisions }, key)
    await cut
    const again = await grace.post('/v1/decisions', { decisions }, key)
    expect(again.body.items).toMatchObject(requests.map(() => ({ status: 200, state: 'approved' })))
    for (const request of requests) expect(await recorded(request)).toEqual(approvedOnce)
  })
})

describe('a decision that is recorded before the database fails', () => {
  test('is answered as recorded, though how far it has come cannot be read', async () => {
    const request = await open()
    const answering = decide(request, { prefer: 'wait=10' })
    await waitUntil(async () => (await recorded(request))?.decisions === 1)
    const release = Promise.withResolvers<void>()
    const locked = database.db.transaction().execute(async (tx) => {
      await sql`lock table outbox in access exclusive mode`.execute(tx)
      await release.promise
    })
    const answer = await answering
    release.resolve()
    await locked
    expect(answer).toMatchObject({ status: 200, body: { state: 'approved', stage: 'recorded' } })
  })

  test('among others is told as recorded; the one that failed says so for itself alone', async () => {
    const [good, bad] = [await open(), await open()]
    await sql`
      create function fail_for_one() returns trigger language plpgsql as ${sql.lit(`begin
        if new.request_id = '${bad.id}' then
          raise exception 'could not extend file' using errcode = '53100';
        end if;
        return new; end`)}
    `.execute(database.db)
    await sql`
      create trigger fail_for_one before insert on audit_event
      for each row execute function fail_for_one()
    `.execute(database.db)
    const decisions = [good, bad].map((request) => ({
      requestId: request.id,
      seen: request.presentationDigest,
      ...bodyOf(request),
    }))
    const { status, body } = await grace.post('/v1/decisions', { decisions })
    await sql`drop function fail_for_one cascade`.execute(database.db)
    expect(await recorded(good)).toEqual(approvedOnce)
    expect(await recorded(bad)).toEqual({ state: 'pending', decisions: 0, permits: 0 })
    expect(status).toBe(200)
    expect(body.items).toMatchObject([
      { requestId: good.id, status: 200, state: 'approved' },
      { requestId: bad.id, status: 507, code: 'disk_full' },
    ])
  })
})
