import { sql, type RawBuilder } from 'kysely'
import type { InsightView } from '#api/schemas/requests/insights.ts'
import { isBoundedTime, maxDays } from '#domain/bounded-time.ts'
import type { InsightKey } from '#domain/insight-key.ts'
import { openedOfAge, waitingAges } from '#domain/waiting-age.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { hasRight } from '../core/rights-of.ts'
import { effectOfAttempt, isAttemptOfRequest } from '../requests/facts/newest-execution.ts'
import { countedRequestVisibleTo } from '../requests/people/visible-to.ts'
import { viewerOf, type Viewer } from '../requests/people/viewer.ts'
import type { RecordOf } from '../core/record-of.ts'
import { invalid } from '../core/problems/invalid.ts'

const dayMs = 24 * 3_600_000
const usualDays = 30
/** The largest number of groups in an answer. */
export const maxItems = 200

/** Whose requests are counted, and of which time. */
export interface InsightScope {
  readonly from: Date
  readonly to: Date
  readonly viewer: Viewer
  /** the caller reads the trail, which has all of them */
  readonly seesAll: boolean
}

export interface InsightTime {
  readonly from?: Date
  readonly to?: Date
}

/**
 * What the caller may count of a time: `from` (30 days before `to`) until `to` (now). Rejects with
 * `invalid_request` for an empty time, or one of more than 92 days.
 */
export async function insightScope(
  ctx: ServiceContext,
  caller: Caller,
  { to = new Date(), from = new Date(to.getTime() - usualDays * dayMs) }: InsightTime,
): Promise<InsightScope> {
  checkTime(from, to)
  const viewer = await viewerOf(ctx, caller)
  const seesAll = await hasRight(ctx, caller.actor, 'readAudit')
  return { from, to, viewer, seesAll }
}

function checkTime(from: Date, to: Date): void {
  if (isBoundedTime(from, to)) return
  throw invalid('from', `must be before "to", by ${maxDays} days at most`)
}

/** The outcomes of the requests of one queue, worker, tool, rule or person. */
export type Insight = RecordOf<InsightView>

/** The counts of the requests that were opened within the time. */
export type OpenedInsight = Omit<Insight, 'waiting' | 'waitingByAge' | 'oldestAt'>
/** The counts of those that wait now. */
export type WaitingInsight = Pick<Insight, 'key' | 'name' | 'waiting' | 'waitingByAge' | 'oldestAt'>

/** The requests that a scope counts; `request` is the table's name in the query. */
export function isCounted({ viewer, seesAll }: InsightScope): RawBuilder<boolean> {
  return seesAll ? sql<boolean>`true` : countedRequestVisibleTo(viewer)
}

/** The same for those that were opened within the time, for which there is an index. */
export function wasOpened(scope: InsightScope): RawBuilder<boolean> {
  const { from, to } = scope
  return sql<boolean>`request.created_at >= ${from} and request.created_at < ${to}
    and ${isCounted(scope)}`
}

/**
 * For each row of a query, the row or rows that belong to it, looked up one by one: for a plain
 * join, Postgres would read the whole table.
 */
export function lookedUp(
  table: string,
  where: RawBuilder<unknown>,
  kind: 'cross join' | 'left join' = 'cross join',
): RawBuilder<unknown> {
  const on = kind === 'left join' ? sql` on true` : sql``
  return sql`${sql.raw(kind)} lateral (
    select * from ${sql.table(table)} as own where ${where} offset 0) ${sql.ref(table)}${on}`
}

/** The run of each `request`, if it has one. */
export const runOfRequest = lookedUp('run', sql`own.id = request.run_id`, 'left join')
/** The newest revision of each `request`, which says what it does. */
export const newestRevision = lookedUp(
  'request_revision',
  sql`own.request_id = request.id and own.revision = request.revision`,
  'left join',
)
/** The votes on each `request`. */
export const votes = lookedUp('decision', sql`own.request_id = request.id`)

/** Whether the effect of a request was carried out, and whether it failed. */
export const effects = sql`
  left join lateral (
    select ${effectOfAttempt} as state from execution
    where ${isAttemptOfRequest}
    order by execution.attempt desc limit 1
  ) effect on true
  left join external_request program on program.request_id = request.id`
/** Whether the call of `request` succeeded, by its execution or by the report of its program. */
export const wasCarriedOut = sql<boolean>`(effect.state = 'succeeded' or program.outcome = 'succeeded')`
/** Whether the call of `request` failed, by its execution or by the report of its program. */
export const hasFailed = sql<boolean>`(effect.state = 'failed' or program.outcome = 'failed')`

/** How often the grants of a request were used; `by` restricts the givers. */
export function grantsUsed(by: RawBuilder<boolean>): RawBuilder<number> {
  return sql`coalesce(sum((select sum(approval_grant.uses) from approval_grant
    where approval_grant.request_id = request.id and ${by})), 0)::int`
}

/** A quantile of a duration in whole seconds, of the rows that a condition selects. */
export function quantile(
  of: number,
  seconds: RawBuilder<unknown>,
  rows: RawBuilder<boolean>,
): RawBuilder<number | null> {
  return sql`round(
    percentile_cont(${of}) within group (order by ${seconds}) filter (where ${rows}))::int`
}

/**
 * The columns of what waits: how many, how many by age at the end of the period, and when the
 * oldest was opened.
 */
export function waitingCounts({ to: at }: InsightScope): RawBuilder<unknown> {
  const ages = waitingAges.map((age) => {
    const { from, to } = openedOfAge(age, at)
    const since = from === undefined ? sql`true` : sql`request.created_at >= ${from}`
    const until = to === undefined ? sql`true` : sql`request.created_at < ${to}`
    return sql`${sql.lit(age)}, count(*) filter (where ${since} and ${until})`
  })
  return sql`count(*)::int as waiting, json_build_object(${sql.join(ages)}) as "waitingByAge",
    min(request.created_at) as "oldestAt"`
}

/** Key and name of a group of requests, for every grouping except by person. */
export const groupOf: Readonly<
  Record<
    Exclude<InsightKey, 'person'>,
    { readonly key: RawBuilder<string>; readonly name: RawBuilder<string> }
  >
> = {
  queue: { key: sql`request.queue`, name: sql`request.queue` },
  tool: { key: sql`request.tool`, name: sql`request.tool` },
  rule: { key: sql`request.rule->>'id'`, name: sql`max(request.rule->>'text')` },
  worker: {
    key: sql`coalesce(run.worker, program.worker, '')`,
    name: sql`coalesce(nullif(coalesce(run.worker, program.worker, ''), ''), 'programs')`,
  },
}

/** Merges both counts, the busiest first. */
export function mergeInsights(
  groups: readonly OpenedInsight[],
  waiting: readonly WaitingInsight[],
): readonly Insight[] {
  const items = new Map<string, Insight>(
    groups.map((group) => [
      group.key,
      { ...group, waiting: 0, waitingByAge: noneWaits, oldestAt: null },
    ]),
  )
  for (const group of waiting) {
    const { waiting: count, waitingByAge, oldestAt } = group
    const item = items.get(group.key) ?? { ...nothing, ...group }
    items.set(group.key, { ...item, waiting: count, waitingByAge, oldestAt })
  }
  return [...items.values()].toSorted(
    (a, b) => b.opened - a.opened || b.waiting - a.waiting || (a.key < b.key ? -1 : 1),
  )
}

const noneWaits: Insight['waitingByAge'] = { hour: 0, day: 0, week: 0, longer: 0 }

const nothing = {
  opened: 0,
  approved: 0,
  denied: 0,
  expired: 0,
  carriedOut: 0,
  failed: 0,
  grantsUsed: 0,
  medianSeconds: null,
  p90Seconds: null,
}
