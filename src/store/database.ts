import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { preparingPool } from './connection/preparing-pool.ts'
import type { Database } from './schema.ts'

export type Db = Kysely<Database>
export type Tx = Transaction<Database>

/**
 * Connects to Postgres. `poolSize` connections at most, which prepare the statements that recur; destroy with
 * `await db.destroy()`.
 */
export function connectDatabase(options: {
  url: string
  poolSize: number
  applicationName: string
}): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 5000,
    pipeline: true,
  })
  // A connection that the server ended, idle or in the middle of a transaction, must not end this process:
  // the query under way reports it, or the next one.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: preparingPool(pool) }) })
  poolOf.set(db, pool)
  return db
}

const poolOf = new WeakMap<Db, pg.Pool>()

/** How many connections a database's pool has in use and idle now, and how many calls wait for one. */
export function poolUse(db: Db): { used: number; idle: number; waiting: number } {
  const pool = poolOf.get(db)
  if (pool === undefined) return { used: 0, idle: 0, waiting: 0 }
  const { totalCount, idleCount, waitingCount } = pool
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
}

/** A value as the text that a `jsonb` column takes. */
export function toJsonb(value: unknown): string {
  return JSON.stringify(value)
}
