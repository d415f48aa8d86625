import { createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { failingDatabase, hungDatabase } from '#test/harness/fake-database.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { connectTemporal } from '#delivery/temporal-client.ts'
import { listenHere } from '#test/harness/listen.ts'
import { readinessReader } from './readiness.ts'

const database = disposeAfterTests(await createTestDatabase())

const quiet = { recent: () => [] }

it('answers within seconds when Temporal takes the connection and never answers, and the clock is set back', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket))
  const temporal = connectTemporal({
    address: `127.0.0.1:${await listenHere(silent)}`,
    namespace: 'default',
  })
  const now = Date.now.bind(Date)
  try {
    const begunMs = performance.now()
    const answer = readinessReader(database.db, temporal, quiet)()
    vi.spyOn(Date, 'now').mockImplementation(() => now() - 600_000)
    expect(await answer).toMatchObject({
      ready: false,
      checks: { postgres: true, temporal: false },
      problems: [
        expect.stringContaining('Temporal does not answer'),
        expect.stringMatching(
          /^The clock of this host is 6\d\d s behind the clock of the database: /,
        ),
      ],
    })
    expect(performance.now() - begunMs).toBeLessThan(30_000)
  } finally {
    vi.restoreAllMocks()
    await temporal[Symbol.asyncDispose]()
    for (const socket of sockets) socket.destroy()
    silent.close()
  }
})

it('answers within seconds when Postgres takes the question and never answers', async () => {
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = database.db.transaction().execute(async (tx) => {
    await sql`lock table outbox in access exclusive mode`.execute(tx)
    locked.resolve()
    await held.promise
  })
  await locked.promise
  try {
    const there = { namespaceId: async () => 'a namespace' }
    expect(await readinessReader(database.db, there, quiet)()).toMatchObject({
      ready: false,
      checks: { postgres: false, temporal: true },
      problems: [expect.stringContaining('Postgres does not answer')],
    })
  } finally {
    held.resolve()
    await holding
  }
})

it('takes one connection for each of its two reads however often it is asked while Postgres hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { db, queries } = hungDatabase()
    const readiness = readinessReader(db, { namespaceId: async () => 'a namespace' }, quiet)
    for (let times = 0; times < 3; times += 1) {
      const answer = readiness()
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await answer).toMatchObject({ ready: false, checks: { postgres: false } })
    }
    expect(queries()).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

// Rules: security.md 42
it.each([
  ['EMFILE', 'The service has too many files open'],
  ['53000', 'The database has too many files open'],
])(
  'says that too many files are open, and where, and not that Postgres is away, with %s',
  async (code, sentence) => {
    const { db } = failingDatabase([Object.assign(new Error('too many'), { code })])
    const there = { namespaceId: async () => 'a namespace' }
    const { checks, ready, problems } = await readinessReader(db, there, quiet)()
    expect([ready, checks.postgres, checks.temporal]).toEqual([false, false, true])
    expect(problems).toEqual([expect.stringContaining(sentence)])
  },
)
