import { Kysely, PostgresDialect, sql, type PostgresPool } from 'kysely'
import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import type { Db, Tx } from '../database.ts'
import type { Database } from '../tables/schema.ts'
import { sideBySide, together } from './side-by-side.ts'

/** what was sent to Postgres and what it answered, in the order in which it happened */
const wire: string[] = []

const database = disposeAfterTests(await createTestDatabase())
const pool = new pg.Pool({ connectionString: database.url, max: 1, pipeline: true })
const db = disposeAfterTests(
  new Kysely<Database>({ dialect: new PostgresDialect({ pool: overheard(pool) }) }),
)
await sql`create table shelf (id integer primary key)`.execute(db)

beforeEach(async () => {
  await sql`delete from shelf`.execute(db)
  wire.length = 0
})

function overheard(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      const query = async (text: string, values: readonly unknown[]) => {
        const [word = ''] = text.split(' ')
        wire.push(word)
        const answer = await client.query(text, [...values]).finally(() => wire.push(`${word}!`))
        return answer
      }
      const release = (destroy?: boolean | Error): void => client.release(destroy)
      return { query: query as never, release }
    },
  }
}

const put = async (tx: Tx, id: number): Promise<unknown> =>
  sql`insert into shelf values (${id})`.execute(tx)
const count = async (on: Db | Tx): Promise<number> =>
  (await sql<{ count: number }>`select count(*)::int from shelf`.execute(on)).rows[0]?.count ?? -1

test('statements issued together are sent at once, whoever issues them, and run in the order in which they were issued', async () => {
  const counted = await db.transaction().execute(async (alone) => {
    const tx = await sideBySide(alone)
    return together([
      count(tx),
      put(tx, 1),
      tx
        .updateTable('run')
        .set({ turn: 1 })
        .where(sql<boolean>`false`)
        .execute(),
      count(tx),
    ])
  })
  expect([counted[0], counted[3]]).toEqual([0, 1])
  expect(wire.join(' ')).toBe(
    'begin begin! select insert update select select! insert! update! select! commit commit!',
  )
})

test('a failed statement rolls the whole transaction back, and its error reaches the caller after the last statement', async () => {
  const asksTwice = async (tx: Tx): Promise<void> => {
    await put(tx, 1)
    await put(tx, 2)
  }
  const failing = db.transaction().execute(async (alone) => {
    const tx = await sideBySide(alone)
    await together([asksTwice(tx), sql`select 1 / 0`.execute(tx), put(tx, 3)])
  })
  await expect(failing).rejects.toThrow('division by zero')
  expect(wire.slice(-2)).toEqual(['rollback', 'rollback!'])
  expect(wire.filter((word) => word === 'insert')).toHaveLength(3)
  expect(await count(db)).toBe(0)
})

test('a transaction that has ended refuses further statements', async () => {
  const left: Tx[] = []
  await db.transaction().execute(async (alone) => {
    left.push(await sideBySide(alone))
  })
  const [tx] = left
  if (tx === undefined) throw new Error('there was no transaction')
  await expect(put(tx, 1)).rejects.toThrow(/committed/)
  expect(await count(db)).toBe(0)
})
