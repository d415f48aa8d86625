import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { createTestApi } from '../test-api.ts'

const api = disposeAfterTests(await createTestApi())
const grace = await api.signIn(api.people.grace)
const request = await addRequest(
  api.service,
  await addRun(api.service, { startedBy: api.people.ada }),
)

const decide = () =>
  grace.post(`/v1/requests/${request.id}/decisions`, {
    decision: 'approve',
    digest: request.digest,
    revision: request.revision,
  })

/** Every event of the trail fails as Postgres says it does in an outage. */
async function failWith(sqlState: string): Promise<AsyncDisposable> {
  const { db } = api.database
  await sql`
    create function fail_for_test() returns trigger language plpgsql as
    ${sql.lit(`begin raise exception 'could not extend file' using errcode = '${sqlState}'; end`)}
  `.execute(db)
  await sql`
    create trigger fail_for_test before insert on audit_event execute function fail_for_test()
  `.execute(db)
  return {
    async [Symbol.asyncDispose]() {
      await sql`drop function fail_for_test cascade`.execute(db)
    },
  }
}

// Rules: security.md 42
describe('a decision in an outage of the database', () => {
  test.each([
    ['53100', 507, 'disk_full', 'disk_full', 'The disk is full', true],
    ['53000', 503, 'unavailable', 'database_too_many_files', 'The database has too many', true],
    ['57014', 503, 'unavailable', 'database_slow', 'The database took too long', true],
    ['53300', 503, 'unavailable', 'database_busy', 'The service is busy', true],
    ['25006', 503, 'unavailable', 'database_read_only', 'The database is read-only', undefined],
  ])(
    'with SQLSTATE %s is answered with its own sentence and counted, and says where it certainly changed nothing',
    async (...row) => {
      const [state, status, code, cause, sentence, nothingChanged] = row
      await using _failing = await failWith(state)
      const reply = await decide()
      expect(reply).toMatchObject({
        status,
        body: { code, cause, detail: expect.stringContaining(sentence) },
      })
      expect(reply.body.nothingChanged).toBe(nothingChanged)
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    },
  )

  test('is not recorded, so that a later attempt decides, and each outage is counted by its cause', async () => {
    expect((await decide()).body).toMatchObject({ state: 'approved' })
    const aud = await api.signIn(api.people.aud)
    const { text } = await aud.get('/metrics')
    expect(text).toMatch(/^countersign_outages_total\{cause="disk_full"\} [1-9]/m)
    expect(text).toMatch(/^countersign_outages_total\{cause="database_away"\} 0$/m)
  })
})
