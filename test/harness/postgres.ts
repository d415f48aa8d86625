import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { currentRequest } from '#services/core/current-request.ts'
import { connectDatabase } from '#store/database.ts'
import type { Database } from '#store/tables/schema.ts'
import { askService } from './ask-service.ts'
import { databaseUrl, templateName } from './template-database.ts'
import { waitUntil } from './wait-until.ts'

/** A database for one test file; `await using` or dispose it in `afterAll`. */
export interface TestDatabase extends AsyncDisposable {
  /** Connection string, for processes and pools the test starts itself. */
  url: string
  db: Kysely<Database>
}

/**
 * Clones the migrated template (some 20 ms). Disposing closes `db`, fails when anything else is
 * still connected twenty seconds later (a pool or a transaction that leaked), and drops the
 * database.
 *
 * @example
 * const database = await createTestDatabase()
 * afterAll(() => database[Symbol.asyncDispose]())
 */
export async function createTestDatabase(options: DatabaseOptions = {}): Promise<TestDatabase> {
  return createDatabase(await askService('postgres'), templateName, options)
}

/** A database without tables, for code that makes them. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase(await askService('postgres'), 'template0')
}

/** Clones the template on a server that has it, outside of a vitest run. */
export async function cloneTemplate(serverUrl: string): Promise<TestDatabase> {
  return createDatabase(serverUrl, templateName)
}

interface DatabaseOptions {
  /** how long others may take to leave the database once it is disposed; twenty seconds */
  readonly othersLeaveWithinMs?: number
  /** how many connections `db` has; twenty */
  readonly poolSize?: number
}

async function createDatabase(
  serverUrl: string,
  template: string,
  { othersLeaveWithinMs = 20_000, poolSize = 20 }: DatabaseOptions = {},
): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  // A copy of the files costs half of what it costs to write every page of them to the WAL.
  const how = `template ${template} strategy file_copy`
  await withAdmin(serverUrl, (admin) => admin.query(`create database ${name} ${how}`))
  const url = databaseUrl(serverUrl, name)
  const db = connectDatabase({
    url,
    poolSize,
    applicationName: 'test',
    waitMs: 60_000,
    callerNow: () => currentRequest.getStore()?.caller,
  })
  return {
    url,
    db,
    async [Symbol.asyncDispose]() {
      await db.destroy()
      await withAdmin(serverUrl, async (admin) => {
        try {
          await assertNobodyConnected(admin, name, othersLeaveWithinMs)
        } finally {
          await admin.query(`drop database ${name} with (force)`)
        }
      })
    },
  }
}

async function assertNobodyConnected(
  admin: pg.Client,
  name: string,
  withinMs: number,
): Promise<void> {
  await waitUntil(
    async () => {
      const { rows } = await admin.query<{ who: string }>(
        `select concat_ws(': ', nullif(application_name, ''), state, query) as who
           from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
        [name],
      )
      if (rows.length === 0) return true
      return `leaked connections:\n${rows.map((row) => row.who).join('\n')}`
    },
    { withinMs },
  )
}

async function withAdmin<T>(url: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
