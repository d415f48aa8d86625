import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { gatedWrites } from '#test/harness/fixtures/gated-writes.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { sealedTables } from '#domain/statements/sealed-tables.ts'
import { adoptRows } from './adopt-rows.ts'

const { aWrite, requestRow } = gatedWrites(() => desk)

const desk = disposeAfterTests(await openAgentDesk())

/** As a version before this one left them. */
async function unseal(): Promise<void> {
  for (const table of Object.keys(sealedTables)) {
    await sql`update ${sql.table(table)} set seal = null`.execute(desk.database.db)
  }
  await sql`update request set principals_digest = null`.execute(desk.database.db)
}

// Rules: security.md 29
test('rows of before there were seals are believed once they were adopted, and not before', async () => {
  const { call } = await aWrite()
  await unseal()
  expect((await refusal(desk.decide(desk.people.grace, call.requestId))).code).toBe('tampered')
  const adopted = await adoptRows(desk.api, { again: false })
  expect(adopted).toMatchObject({ person: 4, request: 1, request_revision: 1 })
  await desk.decide(desk.people.grace, call.requestId)
  expect(await requestRow(call.requestId)).toMatchObject({ state: 'approved' })
  expect(await adoptRows(desk.api, { again: false })).toEqual({})
})

test('a row whose seal does not hold is adopted only when somebody accepts the database as it is', async () => {
  const { call } = await aWrite()
  await sql`update request set team = 'operators' where id = ${call.requestId}`.execute(
    desk.database.db,
  )
  expect(await adoptRows(desk.api, { again: false })).toEqual({})
  expect((await refusal(desk.decide(desk.people.grace, call.requestId))).code).toBe('tampered')
  expect(await adoptRows(desk.api, { again: true })).toEqual({ request: 1 })
  await desk.decide(desk.people.grace, call.requestId)
})
