import { sql, type RawBuilder } from 'kysely'
import type { InsightKey } from '#domain/insight-key.ts'
import { requestVisibleTo } from '../requests/people/visible-to.ts'
import type { Viewer } from '../requests/people/viewer.ts'

/** Whose requests are counted, and of which time. */
export interface InsightScope {
  readonly from: Date
  readonly to: Date
  readonly viewer: Viewer
  /** the caller reads the trail, which has all of them */
  readonly seesAll: boolean
}

/** The outcomes of the requests of one queue, worker, tool, rule or person. */
export interface Insight {
  readonly key: string
  readonly name: string
  readonly opened: number
  readonly approved: number
  readonly denied: number
  readonly expired: number
  readonly carriedOut: number
  readonly failed: number
  /** calls that ran on grants of these approvals */
  readonly grantsUsed: number
  /** from opening to decision; `null`: none was decided */
  readonly medianSeconds: number | null
  readonly p90Seconds: number | null
  /** pending now, whenever they were opened */
  readonly waiting: number
  /** when the oldest of those was opened */
  readonly oldestAt: Date | null
}

/** The counts of the requests that were opened within the time. */
export type OpenedInsight = Omit<Insight, 'waiting' | 'oldestAt'>
/** The counts of those that wait now. */
export type WaitingInsight = Pick<Insight, 'key' | 'name' | 'waiting' | 'oldestAt'>

/** The requests that a scope counts; `request` is the table's name in the query. */
export function isCounted({ viewer, seesAll }: InsightScope): RawBuilder<boolean> {
  return seesAll ? sql<boolean>`true` : requestVisibleTo(viewer, 'request')
}

/** The same for those that were opened within the time, for which there is an index. */
export function wasOpened(scope: InsightScope): RawBuilder<boolean> {
  const { from, to } = scope
  return sql<boolean>`request.created_at >= ${from} and request.created_at < ${to}
    and ${isCounted(scope)}`
}

/** Whether the effect of a request was carried out, and whether it failed. */
export const effects = sql`
  left join lateral (
    select execution.state from execution
    where execution.call_id = request.call_id and execution.request_id = request.id
    order by execution.attempt desc limit 1
  ) effect on true
  left join external_request program on program.request_id = request.id`
export const wasCarriedOut = sql<boolean>`(effect.state = 'succeeded' or program.outcome = 'succeeded')`
export const hasFailed = sql<boolean>`(effect.state = 'failed' or program.outcome = 'failed')`

/** How often the grants of a request were used; `by` restricts the givers. */
export function grantsUsed(by: RawBuilder<boolean>): RawBuilder<number> {
  return sql`coalesce(sum((select sum(approval_grant.uses) from approval_grant
    where approval_grant.request_id = request.id and ${by})), 0)::int`
}

/**
 * The quantile of a duration in seconds, as a whole number, of the rows that a condition selects.
 */
export function quantile(
  of: number,
  seconds: RawBuilder<unknown>,
  rows: RawBuilder<boolean>,
): RawBuilder<number | null> {
  return sql`round(
    percentile_cont(${of}) within group (order by ${seconds}) filter (where ${rows}))::int`
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
  opened: readonly OpenedInsight[],
  waiting: readonly WaitingInsight[],
): readonly Insight[] {
  const items = new Map<string, Insight>(
    opened.map((group) => [group.key, { ...group, waiting: 0, oldestAt: null }]),
  )
  for (const group of waiting) {
    const { waiting: count, oldestAt } = group
    const item = items.get(group.key) ?? { ...nothing, ...group }
    items.set(group.key, { ...item, waiting: count, oldestAt })
  }
  return [...items.values()].toSorted(
    (a, b) => b.opened - a.opened || b.waiting - a.waiting || (a.key < b.key ? -1 : 1),
  )
}

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
