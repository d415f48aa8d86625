import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '#store/database.ts'

/** Keyset cursor over the runs that have ended: the last one that was read. */
export interface RunCursor {
  readonly endedAt: string
  readonly id: string
}

/**
 * Up to `maxRuns` runs after a cursor, in the order of their ends, with texts that are due: the
 * run, every run of its tree, and the forks that use its turns ended longer ago than `olderThanMs`,
 * and the run still has its texts.
 */
export async function dueRuns(
  db: Db,
  options: {
    readonly olderThanMs: number
    readonly after: RunCursor | null
    readonly maxRuns: number
  },
): Promise<RunCursor[]> {
  const { olderThanMs, after, maxRuns } = options
  const behind =
    after === null
      ? sql`true`
      : sql`(ended_at, id) > (${after.endedAt}::timestamptz, ${after.id}::uuid)`
  const { rows } = await sql<RunCursor>`
    select id, ended_at::text as "endedAt" from run
    where ${isDue(olderThanMs)} and ${behind}
    order by ended_at, id limit ${maxRuns}
  `.execute(db)
  return rows
}

/**
 * Whether a run is due now. With its lock, no fork of it begins until the end of the transaction.
 */
export async function isRunDue(tx: Tx, runId: string, olderThanMs: number): Promise<boolean> {
  const { rows } = await sql`
    select from run where id = ${runId} and ${isDue(olderThanMs)}
  `.execute(tx)
  return rows.length === 1
}

export async function countDueRuns(db: Db, olderThanMs: number): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) from run where ${isDue(olderThanMs)}
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

function isDue(olderThanMs: number): RawBuilder<unknown> {
  const cutoff = sql`(clock_timestamp() - ${olderThanMs} * interval '1 millisecond')`
  return sql`
    ended_at < ${cutoff}
    and not exists (select from cleared_run where run_id = run.id)
    and not exists (
      select from run as other where other.root_run_id = run.root_run_id
        and (other.ended_at is null or other.ended_at >= ${cutoff})
    )
    and not exists (
      select from run_prefix
      join run as fork on fork.id = run_prefix.run_id
      join run as other on other.root_run_id = fork.root_run_id
      where run_prefix.from_run_id = run.id
        and (other.ended_at is null or other.ended_at >= ${cutoff})
    )`
}
