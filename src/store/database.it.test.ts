import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { openSilentProxy } from '#test/harness/outages/silent-proxy.ts'
import { databaseOutageOf } from './connection/database-outage.ts'
import { connectDatabase, type Tx } from './database.ts'

const database = disposeAfterTests(await createTestDatabase())
const db = disposeAfterTests(
  connectDatabase({ url: database.url, poolSize: 1, applicationName: 'cut off' }),
)

async function processOf(tx: Tx): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
  return rows[0]?.pid ?? 0
}

/** Ends the server's side of a connection and answers when it is gone. */
async function cutOff(pid: number): Promise<void> {
  await sql`select pg_terminate_backend(${pid}, 60000)`.execute(database.db)
  // The client hears of it in a turn of its own event loop.
  await delay(0)
}

async function answers(): Promise<void> {
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db)
  expect(rows).toEqual([{ one: 1 }])
}

test('a connection cut between two queries of a transaction fails the transaction, not the process', async () => {
  const cut = db.transaction().execute(async (tx) => {
    await cutOff(await processOf(tx))
    await sql`select 1`.execute(tx)
  })
  await expect(cut).rejects.toThrow(/connection/i)
  await answers()
})

test('a connection cut while a query runs fails that query, not the process', async () => {
  const cut = db.transaction().execute(async (tx) => {
    const pid = await processOf(tx)
    await Promise.all([sql`select pg_sleep(600)`.execute(tx), cutOff(pid)])
  })
  // Which of the two it hears of first is a race: the farewell, or the end of the connection.
  await expect(cut).rejects.toThrow(/terminat|ECONNRESET|connection/i)
  await answers()
})

test('an idle connection that is cut is replaced by another', async () => {
  await cutOff(await db.transaction().execute(processOf))
  await expect
    .poll(() => answers().then(() => 'answered', String), { timeout: 60_000 })
    .toBe('answered')
})

describe('with a time limit for answers', () => {
  const bound = { poolSize: 1, applicationName: 'bounded', maxAnswerMs: 500 }

  // Rules: security.md 27
  test('a transaction of a process that stands still keeps its locks no longer than that', async () => {
    // Long enough for the first look at the lock, also on a busy machine.
    await using stopped = connectDatabase({ ...bound, maxAnswerMs: 5000, url: database.url })
    const tried = sql<{ free: boolean }>`select pg_try_advisory_xact_lock(1) as free`
    const isFree = async () => (await tried.execute(database.db)).rows[0]?.free
    expect(await isFree()).toBe(true)
    const locked = Promise.withResolvers<void>()
    const continued = Promise.withResolvers<void>()
    const failure = stopped
      .transaction()
      .execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(1)`.execute(tx)
        locked.resolve()
        await continued.promise
        await sql`select 1`.execute(tx)
      })
      .catch((reason: unknown) => reason)
    await locked.promise
    expect(await isFree()).toBe(false)
    await expect.poll(isFree, { timeout: 60_000 }).toBe(true)
    continued.resolve()
    expect(databaseOutageOf(await failure)).toBe('database_away')
  })

  test('a statement that takes longer is cancelled, its transaction is rolled back, and the connection stays usable', async () => {
    await using bounded = connectDatabase({ ...bound, url: database.url })
    await sql`create table note (text text)`.execute(bounded)
    const slow = bounded.transaction().execute(async (tx) => {
      await sql`insert into note values ('half')`.execute(tx)
      await sql`select pg_sleep(600)`.execute(tx)
    })
    const error = await slow.catch((reason: unknown) => reason)
    expect(databaseOutageOf(error)).toBe('database_slow')
    expect((await sql`select text from note`.execute(bounded)).rows).toEqual([])
  })

  test('a server that does not answer any more loses the connection, and the next caller gets another one', async () => {
    const url = new URL(database.url)
    await using proxy = await openSilentProxy(Number(url.port))
    url.port = String(proxy.port)
    await using bounded = connectDatabase({ ...bound, url: url.href })
    await sql`select 1`.execute(bounded)
    proxy.fallSilent()
    const error = await sql`select 2`.execute(bounded).catch((reason: unknown) => reason)
    expect(databaseOutageOf(error)).toBe('database_away')
    proxy.speakAgain()
    expect((await sql`select 3 as three`.execute(bounded)).rows).toEqual([{ three: 3 }])
  })
})

test('an idle process keeps as many of its connections open as it is configured to', async () => {
  const options = { url: database.url, poolSize: 4, applicationName: 'resting' }
  await using resting = connectDatabase({ ...options, restingConnections: 2 })
  const backends = async (): Promise<number[]> => {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
      where application_name = 'resting' order by pid`.execute(database.db)
    return rows.map(({ pid }) => pid)
  }
  await Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(0.2)`.execute(resting)))
  const used = await backends()
  expect(used).toHaveLength(4)
  await expect.poll(async () => (await backends()).length, { timeout: 60_000 }).toBeLessThan(3)
  const left = await backends()
  expect(left).toHaveLength(2)
  expect(used).toEqual(expect.arrayContaining(left))
  const query = sql<{ pid: number }>`select pg_backend_pid() as pid`
  expect(left).toContain((await query.execute(resting)).rows[0]?.pid)
})
