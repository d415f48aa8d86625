import type { InsightKey } from '#domain/insight-key.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { insightScope, maxItems, type Insight, type InsightTime } from './insight-scope.ts'
import {
  readRepeatedCalls,
  readExpiredUnseen,
  readFastApprovals,
  type RepeatedCalls,
  type ExpiredUnseen,
  type FastApproval,
  type CountedItems,
} from './read-attention.ts'
import { readDays, type DayLoad } from './read-days.ts'
import { readGroups } from './read-groups.ts'
import { readLoads } from './read-loads.ts'

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
