import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import { wasOpened, type InsightScope } from './insight-scope.ts'

/** The load of one day in UTC: the requests opened on it, by their present state. */
export interface DayLoad {
  /** as 2026-01-31 */
  readonly day: string
  readonly opened: number
  readonly approved: number
  readonly denied: number
  readonly expired: number
  /** opened on it, and still pending */
  readonly waiting: number
}

/** Every day of the time in order, including those without requests. */
export async function readDays(db: Db, scope: InsightScope): Promise<readonly DayLoad[]> {
  const { rows } = await sql<DayLoad>`
    with opened as (
      select date_trunc('day', request.created_at, 'UTC') as day, request.state
      from request where ${wasOpened(scope)}
    )
    select to_char(day.at at time zone 'UTC', 'YYYY-MM-DD') as day, count(opened.state)::int as opened,
      count(*) filter (where opened.state = 'approved')::int as approved,
      count(*) filter (where opened.state = 'denied')::int as denied,
      count(*) filter (where opened.state = 'expired')::int as expired,
      count(*) filter (where opened.state = 'pending')::int as waiting
    from generate_series(date_trunc('day', ${scope.from}::timestamptz, 'UTC'),
        ${scope.to}::timestamptz - interval '1 microsecond', interval '1 day', 'UTC') as day(at)
      left join opened on opened.day = day.at
    group by day.at order by day.at
  `.execute(db)
  return rows
}
