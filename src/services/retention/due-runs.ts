import { sql } from 'kysely'
import type { Db } from '../../store/database.ts'

/** Where a look through the runs that ended stands: the last one seen. */
export interface RunPlace {
  readonly endedAt: string
  readonly id: string
}

/**
 * Up to `most` runs whose words are due: they and every run of their tree ended longer ago than `olderThanMs`, and they
 * still have them. In the order in which they ended, after a place.
 */
export async function dueRuns(
  db: Db,
  options: { readonly olderThanMs: number; readonly after: RunPlace | null; readonly most: number },
): Promise<RunPlace[]> {
  const { olderThanMs, after, most } = options
  const cutoff = sql`(clock_timestamp() - ${olderThanMs} * interval '1 millisecond')`
  const { rows } = await sql<RunPlace>`
    select id, ended_at::text as "endedAt" from run
    where ended_at < ${cutoff}
      and (ended_at, id) > (${after?.endedAt ?? '-infinity'}::timestamptz, ${after?.id ?? '00000000-0000-0000-0000-000000000000'}::uuid)
      and not exists (select from cleared_run where run_id = run.id)
      and not exists (
        select from run as other where other.root_run_id = run.root_run_id
          and (other.ended_at is null or other.ended_at >= ${cutoff})
      )
    order by ended_at, id limit ${most}
  `.execute(db)
  return rows
}
