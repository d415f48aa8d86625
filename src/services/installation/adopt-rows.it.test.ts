import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { gatedWrites } from '#test/harness/fixtures/gated-writes.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { sealedTables } from '#domain/statements/sealed-tables.ts'
import { adoptOnce } from '#runtime/keys/adopt-once.ts'
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
test('rows written before seals existed are trusted once they were adopted, and not before', async () => {
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

test('open rows of a version that did not seal their table yet are adopted once, and no other rows with them', async () => {
  const { call } = await aWrite()
  const { db } = desk.database
  const dataDir = newFolder('adopted ')
  const start = () => adoptOnce(desk.api, { dataDir, environment: {}, isNew: false })
  const others = Object.keys(sealedTables).filter((table) => table !== 'delivery')
  await mkdir(join(dataDir, 'ledger'))
  await writeFile(join(dataDir, 'ledger/adopted.json'), JSON.stringify({ tables: others }))
  const waiting = sql`insert into delivery (id, endpoint, event_id, type, body)
    values (gen_random_uuid(), 'callback:programs', gen_random_uuid(), 'request.decided', '{}')`
  await waiting.execute(db)
  await sql`update request set seal = null where id = ${call.requestId}`.execute(db)
  const sealedRows = async () =>
    (
      await sql<{ sealed: boolean }>`select seal is not null as sealed from delivery
      order by created_at`.execute(db)
    ).rows.map(({ sealed }) => sealed)
  await start()
  expect(await sealedRows()).toEqual([true])
  await waiting.execute(db)
  await start()
  expect(await sealedRows()).toEqual([true, false])
  expect((await refusal(desk.decide(desk.people.grace, call.requestId))).code).toBe('tampered')
})
