import { expect, test } from 'vitest'
import { failingDatabase } from '#test/harness/fake-database.ts'
import { waitForDatabase } from './wait-for-database.ts'

const never = new AbortController().signal

function failed(code: string): Error {
  return Object.assign(new Error(`failed with ${code}`), { code })
}

test.each(['57P03', '53300', '08006', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'])(
  'a Postgres that fails with %s at first is waited for',
  async (code) => {
    const { db, queries } = failingDatabase([failed(code)])
    await waitForDatabase(db, never)
    expect(queries()).toBe(2)
  },
)

test.each(['28P01', '3D000', '42501'])(
  'a refusal of Postgres with %s is reported at once',
  async (code) => {
    const { db, queries } = failingDatabase([failed(code)])
    await expect(waitForDatabase(db, never)).rejects.toThrow(`failed with ${code}`)
    expect(queries()).toBe(1)
  },
)

test('a process that has to end stops waiting, and says what to do', async () => {
  const { db } = failingDatabase([failed('ECONNREFUSED')])
  await expect(waitForDatabase(db, AbortSignal.abort())).rejects.toThrow('check DATABASE_URL')
})
