import { sql } from 'kysely'
import type { AttentionView } from '#api/schemas/requests/attention.ts'
import type { InsightKey } from '#domain/insight-key.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import {
  insightScope,
  maxItems,
  type Insight,
  type InsightTime,
  wasOpened,
  type InsightScope,
} from './insight-scope.ts'
import {
  readRepeatedCalls,
  readExpiredUnseen,
  readFastApprovals,
  type RepeatedCalls,
  type ExpiredUnseen,
  type FastApproval,
  type CountedItems,
} from './read-attention.ts'
import { readGroups } from './read-groups.ts'
import { readLoads } from './read-loads.ts'
import type { Db } from '#store/database.ts'
import type { RecordOf } from '../core/record-of.ts'

export interface Insights {
  readonly from: Date
  readonly to: Date
  readonly by: InsightKey
  readonly items: readonly Insight[]
}

/**
 * The outcomes of the requests that were opened from `from` (30 days before `to`) until `to` (now),
 * in groups: the busiest 200. Counts what the caller may see; with the right `readAudit`,
 * everything. By person: the caller's own decisions, with `readAudit` everybody's. Rejects with
 * `invalid_request` for an empty time, or one of more than 92 days.
 */
export async function readInsights(
  ctx: ServiceContext,
  caller: Caller,
  input: InsightTime & { readonly by: InsightKey },
): Promise<Insights> {
  const { by } = input
  const scope = await insightScope(ctx, caller, input)
  const { from, to } = scope
  const items = await (by === 'person' ? readLoads(ctx.db, scope) : readGroups(ctx.db, scope, by))
  return { from, to, by, items: items.slice(0, maxItems) }
}

/** The requests of each day, and items that need attention. */
export interface Attention {
  readonly from: Date
  readonly to: Date
  readonly days: readonly DayLoad[]
  readonly fastApprovals: CountedItems<FastApproval>
  readonly expiredUnseen: CountedItems<ExpiredUnseen>
  readonly askedTwice: CountedItems<RepeatedCalls>
}

/**
 * The load of each day, approvals faster than reading, requests that expired unseen, and calls that
 * were requested twice, for the same time and scope as `readInsights`.
 */
export async function readAttention(
  ctx: ServiceContext,
  caller: Caller,
  input: InsightTime,
): Promise<Attention> {
  const scope = await insightScope(ctx, caller, input)
  const { from, to } = scope
  return {
    from,
    to,
    days: await readDays(ctx.db, scope),
    fastApprovals: await readFastApprovals(ctx.db, scope),
    expiredUnseen: await readExpiredUnseen(ctx.db, scope),
    askedTwice: await readRepeatedCalls(ctx.db, scope),
  }
}

/** The load of one day in UTC: the requests opened on it, by their present state. */
type DayLoad = RecordOf<AttentionView['days'][number]>

/** Every day of the time in order, including those without requests. */
async function readDays(db: Db, scope: InsightScope): Promise<readonly DayLoad[]> {
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
