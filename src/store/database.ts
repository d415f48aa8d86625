import { PostgresDialect, type Kysely, type Transaction } from 'kysely'
import pg from 'pg'
import { Shares } from '#domain/sharing/shares.ts'
import { oneConnectionAtATime } from './connection/one-connection.ts'
import { preparingPool } from './connection/preparing-pool.ts'
import type { Database } from './tables/schema.ts'

export type Db = Kysely<Database>
export type Tx = Transaction<Database>

/** How to connect to Postgres. */
export interface DatabaseOptions {
  readonly url: string
  /** connections at most */
  readonly poolSize: number
  readonly applicationName: string
  /**
   * connections that stay open without work, with their prepared statements; absent: all are closed
   * after 10 s without work
   */
  readonly restingConnections?: number
  /** the caller, whose share of connections is limited; absent, undefined: the service */
  readonly callerNow?: () => string | undefined
  /** how long to wait for a connection; 5 s */
  readonly waitMs?: number
  /**
   * how long a statement may take, in ms, before Postgres cancels it; if Postgres does not, the
   * connection is dropped soon after. Absent: no limit
   */
  readonly maxAnswerMs?: number
}

/** The share of a pool that one caller may use at a time. */
const shareOfOne = 0.6
/**
 * How long a process that serves waits for the answer to one statement. Otherwise a Postgres that
 * hangs, or a network connection that nobody closed, would keep callers and connections for ever.
 */
export const servingAnswerMs = 30_000
/**
 * How long after the time limit of a statement its connection is closed. By then Postgres should
 * have cancelled the statement; if not, the server is gone or hangs.
 */
const cancelMs = 2000
const keepAliveMs = 30_000
/** Calls of one caller that may wait for a connection at a time. */
const maxWaiting = 500

/**
 * Connects to Postgres. Connections prepare recurring statements. Code cannot hold two connections,
 * and no caller can use all of them. Destroy with `await db.destroy()`.
 */
export function connectDatabase(options: DatabaseOptions): Db {
  const { url, poolSize, applicationName, callerNow, waitMs = 5000, maxAnswerMs } = options
  const { restingConnections = 0 } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: waitMs,
    pipeline: true,
    min: restingConnections,
    // A firewall or load balancer drops an idle connection without closing it at either end.
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    ...(maxAnswerMs === undefined ? {} : { query_timeout: maxAnswerMs + cancelMs }),
  })
  // If the server ends a connection, idle or in the middle of a transaction, this process must not
  // end. The present query reports it, or the next one.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    // A pooler in between may refuse these settings as parameters of the connection.
    if (maxAnswerMs === undefined) return
    client.query(boundSession, [String(Math.ceil(maxAnswerMs))]).catch(() => undefined)
  })
  const maxPerCaller = Math.max(1, Math.floor(poolSize * shareOfOne))
  const shares = new Shares({ slots: poolSize, maxPerCaller, maxWaiting, waitMs })
  const dialect = new PostgresDialect({ pool: preparingPool(pool) })
  const db = oneConnectionAtATime(dialect, () => shares.take(callerNow?.()))
  pools.set(db, { pool, shares })
  return db
}

/**
 * Postgres ends a session that keeps a transaction open without a statement for as long as one may
 * take: a process that was stopped, or whose machine is gone, would keep its locks for hours.
 */
const boundSession = `select set_config('statement_timeout', $1, false),
  set_config('idle_in_transaction_session_timeout', $1, false)`

const pools = new WeakMap<Db, { readonly pool: pg.Pool; readonly shares: Shares }>()

/** How many connections of a pool are in use and idle, and how many calls wait. */
export function poolUse(db: Db): { used: number; idle: number; waiting: number } {
  const pool = pools.get(db)
  if (pool === undefined) return { used: 0, idle: 0, waiting: 0 }
  const { totalCount, idleCount } = pool.pool
  return { used: totalCount - idleCount, idle: idleCount, waiting: pool.shares.waiting }
}

/**
 * How to connect to a database's server outside of its pool. Throws for other databases than those
 * of `connectDatabase`.
 */
export function connectionConfig(db: Db): pg.ClientConfig {
  const pool = pools.get(db)
  if (pool === undefined) throw new Error('This database was not made by connectDatabase')
  const { connectionString, application_name, connectionTimeoutMillis } = pool.pool.options
  return {
    ...(connectionString === undefined ? {} : { connectionString }),
    ...(application_name === undefined ? {} : { application_name }),
    ...(connectionTimeoutMillis === undefined ? {} : { connectionTimeoutMillis }),
  }
}

/** A value as the text that a `jsonb` column takes. */
export function toJsonb(value: unknown): string {
  return JSON.stringify(value)
}
