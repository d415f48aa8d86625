import { sql, type RawBuilder } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { connectDatabase, type Db, type Tx } from '../database.ts'
import { lastStatement } from './last-statement.ts'
import { onePlan } from './one-plan.ts'
import { together } from './side-by-side.ts'

const database = disposeAfterTests(await createTestDatabase())
const db = disposeAfterTests(
  connectDatabase({ url: database.url, poolSize: 1, applicationName: 'prepares' }),
)
await sql`create table shelf (id integer)`.execute(db)
await sql`insert into shelf values (1)`.execute(db)

const shelf = async (on: Db | Tx): Promise<unknown[]> =>
  (await sql`select * from shelf where id = ${1}`.execute(on)).rows

async function preparedTexts(): Promise<string[]> {
  const { rows } = await sql<{
    statement: string
  }>`select statement from pg_prepared_statements`.execute(db)
  return rows.map((row) => row.statement)
}

test('a statement that recurs is prepared; one that does not, the page of a list and what is no query are not', async () => {
  for (let use = 0; use < 5; use += 1) await shelf(db)
  await sql`select ${2}::integer`.execute(db)
  for (let use = 0; use < 5; use += 1) {
    await db.transaction().execute((tx) => tx.selectFrom('run').select('id').limit(1).execute())
  }
  expect(await preparedTexts()).toEqual(['select * from shelf where id = $1'])
})

test('a statement prepared before its table changed answers with the table as it is now', async () => {
  for (let use = 0; use < 5; use += 1) await shelf(db)
  await sql`alter table shelf add column place text default 'left'`.execute(database.db)
  expect(await shelf(db)).toEqual([{ id: 1, place: 'left' }])
})

test('a transaction that fails because the table changed fails as a whole, and its next try sees the new table', async () => {
  for (let use = 0; use < 5; use += 1) await shelf(db)
  await sql`alter table shelf add column height integer`.execute(database.db)
  const once = () => db.transaction().execute(shelf)
  await expect(once()).rejects.toThrow(/cached plan/)
  expect(await once()).toEqual([{ id: 1, place: 'left', height: null }])
})

/** What the server says of the one connection of `db`. */
async function connectionState(): Promise<string | undefined> {
  const { rows } = await sql<{
    state: string
  }>`select state from pg_stat_activity where application_name = 'prepares'`.execute(database.db)
  return rows[0]?.state
}

test('a transaction begins with its first statement, and everything of it is undone together', async () => {
  const work = db.transaction().execute(async (tx) => {
    expect(await connectionState()).toBe('idle')
    await sql`insert into shelf (id) values (2)`.execute(tx)
    expect(await connectionState()).toBe('idle in transaction')
    throw new Error('undone')
  })
  await expect(work).rejects.toThrow('undone')
  const { rows } = await sql`select id from shelf`.execute(db)
  expect(rows).toEqual([{ id: 1 }])
})

test('a transaction whose first statement fails, or that has none, leaves nothing open', async () => {
  const failing = db.transaction().execute((tx) => sql`select from nowhere`.execute(tx))
  await expect(failing).rejects.toThrow(/nowhere/)
  expect(await connectionState()).toBe('idle')
  await db.transaction().execute(async () => undefined)
  expect(await connectionState()).toBe('idle')
  expect(await shelf(db)).toHaveLength(1)
})

test('a transaction with one plan makes the plan at the first use of a statement, reads no table whole, and does not affect the next transaction', async () => {
  const planOf = async (first: RawBuilder<unknown>): Promise<unknown> =>
    db.transaction().execute(async (tx) => {
      await sql`${first} select ${1}::integer`.execute(tx)
      const { rows } = await sql`
        select current_setting('plan_cache_mode') as mode,
          current_setting('enable_seqscan') as whole, current_setting('jit') as compiles`.execute(
        tx,
      )
      return rows[0]
    })
  expect(await planOf(onePlan)).toEqual({
    mode: 'force_generic_plan',
    whole: 'off',
    compiles: 'off',
  })
  expect(await planOf(sql``)).toEqual({ mode: 'auto', whole: 'on', compiles: 'on' })
})

const rowsOfShelf = async (on: Db): Promise<unknown[]> =>
  (await sql`select id from shelf order by id`.execute(on)).rows

test('the last statement of a transaction is committed with it, and nothing can follow it', async () => {
  await db.transaction().execute(async (tx) => {
    await sql`insert into shelf (id) values (2)`.execute(tx)
    expect(await rowsOfShelf(database.db)).toEqual([{ id: 1 }])
    await sql`${lastStatement(1)} insert into shelf (id) values (3)`.execute(tx)
    expect(await rowsOfShelf(database.db)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    expect(await connectionState()).toBe('idle')
  })
  const late = db.transaction().execute(async (tx) => {
    await sql`${lastStatement(1)} delete from shelf where id > 1`.execute(tx)
    const more = [1, 2].map(() => sql`delete from shelf`.execute(tx))
    for (const result of await Promise.allSettled(more)) {
      if (result.status === 'rejected') throw result.reason
    }
  })
  await expect(late).rejects.toThrow(/not in a transaction/i)
  expect(await rowsOfShelf(db)).toEqual([{ id: 1 }])
})

test('a last statement that fails undoes the transaction and is not tried outside of it', async () => {
  const failing = db.transaction().execute(async (tx) => {
    await sql`insert into shelf (id) values (2)`.execute(tx)
    await sql`${lastStatement(1)} insert into shelf (id) values (3 / ${0}::integer)`.execute(tx)
  })
  await expect(failing).rejects.toThrow(/division by zero/)
  expect(await connectionState()).toBe('idle')
  const last = (on: Db | Tx) => sql`${lastStatement(1)} select * from shelf`.execute(on)
  for (let use = 0; use < 5; use += 1) await db.transaction().execute(last)
  await sql`alter table shelf add column depth integer`.execute(database.db)
  const outdated = db.transaction().execute(async (tx) => {
    await sql`insert into shelf (id) values (2)`.execute(tx)
    await last(tx)
  })
  await expect(outdated).rejects.toThrow(/cached plan/)
  expect(await rowsOfShelf(db)).toEqual([{ id: 1 }])
})

test('the commit is sent with the last of several last statements, and one that fails undoes all of them', async () => {
  const add = (tx: Tx, id: number, count: number) =>
    sql`${lastStatement(count)} insert into shelf (id) values (6 / ${id}::integer)`.execute(tx)
  const idsOfOthers = (): Promise<unknown[]> => rowsOfShelf(database.db)
  await db.transaction().execute(async (tx) => {
    await add(tx, 3, 2)
    expect(await connectionState()).toBe('idle in transaction')
    await add(tx, 2, 2)
    expect(await connectionState()).toBe('idle')
    expect(await idsOfOthers()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  })
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const failing = db.transaction().execute(async (tx) => {
      await together(order.map((id) => add(tx, id, 2)))
    })
    await expect(failing).rejects.toThrow(/division by zero/)
  }
  expect(await idsOfOthers()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
})

test('a transaction that ends before all of its last statements were sent does not count for the next one', async () => {
  const undone = db.transaction().execute(async (tx) => {
    await sql`${lastStatement(2)} delete from shelf where id = 3`.execute(tx)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await db.transaction().execute(async (tx) => {
    await sql`${lastStatement(2)} delete from shelf where id = 2`.execute(tx)
    expect(await connectionState()).toBe('idle in transaction')
  })
  expect(await rowsOfShelf(db)).toEqual([{ id: 1 }, { id: 3 }])
})
