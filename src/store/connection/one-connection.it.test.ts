import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import type { Db, Tx } from '../database.ts'
import { SecondConnectionError } from './one-connection.ts'
import { advisoryLocks } from './advisory-locks.ts'
import { underSessionLock } from '../session-lock.ts'

const database = disposeAfterTests(await createTestDatabase({ poolSize: 3 }))
const db = database.db

const look = (on: Db | Tx) => sql`select 1`.execute(on)

describe('work that holds a connection', () => {
  test('is refused a second one of the same pool, in a transaction and outside of one', async () => {
    const nested = db.transaction().execute(async (tx) => {
      await look(tx)
      await look(db)
    })
    await expect(nested).rejects.toBeInstanceOf(SecondConnectionError)
    const begun = db.transaction().execute(() => db.transaction().execute(look))
    await expect(begun).rejects.toBeInstanceOf(SecondConnectionError)
    const held = db.connection().execute(() => look(db))
    await expect(held).rejects.toBeInstanceOf(SecondConnectionError)
  })

  test('is refused it at any depth of calls, even while it also holds a connection to another database', async () => {
    await using other = await createTestDatabase({ poolSize: 1 })
    const deep = db.transaction().execute(() =>
      other.db.transaction().execute(async (tx) => {
        await look(tx)
        await Promise.all([look(tx), Promise.resolve().then(() => look(db))])
      }),
    )
    await expect(deep).rejects.toBeInstanceOf(SecondConnectionError)
  })

  test('may use the pool again after it has returned its own, also in work that it started before', async () => {
    const left: (() => Promise<unknown>)[] = []
    const over = Promise.withResolvers<void>()
    const later = db.transaction().execute(async (tx) => {
      await look(tx)
      left.push(() => look(db))
      return { later: over.promise.then(() => look(db)) }
    })
    const { later: looked } = await later
    over.resolve()
    await expect(looked).resolves.toBeDefined()
    for (const one of left) await expect(one()).resolves.toBeDefined()
  })

  test('holds none after it has failed', async () => {
    for (let tried = 0; tried < 5; tried += 1) {
      const failing = db.transaction().execute((tx) => sql`select from nowhere`.execute(tx))
      await expect(failing).rejects.toThrow(/nowhere/)
    }
    await Promise.all([look(db), look(db), look(db)])
  })
})

test('work under a session lock may use the pool, and is not begun a second time meanwhile', async () => {
  const lock = advisoryLocks.retention
  const began: boolean[] = []
  const first = await underSessionLock(db, lock, async () => {
    await db.transaction().execute(look)
    began.push(await underSessionLock(db, lock, async () => undefined))
  })
  expect([first, ...began]).toEqual([true, false])
  const failing = underSessionLock(db, lock, async () => {
    throw new Error('half way')
  })
  await expect(failing).rejects.toThrow('half way')
  expect(await underSessionLock(db, lock, async () => undefined)).toBe(true)
})
