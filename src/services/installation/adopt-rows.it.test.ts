import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { gatedWrites } from '#test/harness/fixtures/gated-writes.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
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

/** As a version left them that did not seal them. */
async function addDeliveries(count: number): Promise<void> {
  await sql`insert into delivery (id, endpoint, event_id, type, body)
    select gen_random_uuid(), 'callback:programs', gen_random_uuid(), 'request.decided', '{}'
    from generate_series(1, ${count}::int)`.execute(desk.database.db)
}

test('a row that another process is changing is sealed with its new values', async () => {
  const { db } = desk.database
  await addDeliveries(1)
  const changing = await holdLock(db, sql`update delivery set body = '[]' where seal is null`)
  const adopting = adoptRows(desk.api, { again: false, tables: ['delivery'] })
  await changing.waitedForBy(1)
  await changing.release()
  await adopting
  const rows = await db.selectFrom('delivery').selectAll().execute()
  expect(rows.map(({ body }) => body)).toContain('[]')
  expect(rows.filter((row) => !desk.api.seals.holds('delivery', row))).toEqual([])
})

test('many rows are sealed in parts with statements in between, also where most need no seal', async () => {
  await addDeliveries(5000)
  let [inSilence, maxInSilence] = [0, 0]
  const db = desk.api.db.withPlugin({
    transformQuery({ node }) {
      inSilence = 0
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const noticeWork = (): void => {
    inSilence += 1
    maxInSilence = Math.max(maxInSilence, inSilence)
  }
  const seals: Seals = {
    ...desk.api.seals,
    of(...row) {
      noticeWork()
      return desk.api.seals.of(...row)
    },
    holds(...row) {
      noticeWork()
      return desk.api.seals.holds(...row)
    },
  }
  const adopt = (again: boolean) =>
    adoptRows({ ...desk.api, db, seals }, { again, tables: ['delivery'] })
  const { delivery = 0 } = await adopt(false)
  expect(delivery).toBeGreaterThanOrEqual(5000)
  const unsealed = sql`select from delivery where seal is null`
  expect((await unsealed.execute(db)).rows).toEqual([])
  expect(await adopt(true)).toEqual({})
  expect(maxInSilence).toBeGreaterThan(0)
  expect(maxInSilence).toBeLessThan(5000)
})
