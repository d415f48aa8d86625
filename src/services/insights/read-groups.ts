import { sql } from 'kysely'
import type { InsightKey } from '#domain/insight-key.ts'
import type { Db } from '#store/database.ts'
import { wasDecided } from '../requests/lists/outcome-conditions.ts'
import {
  effects,
  grantsUsed,
  groupOf,
  hasFailed,
  isCounted,
  mergeInsights,
  quantile,
  runOfRequest,
  waitingCounts,
  wasCarriedOut,
  wasOpened,
  type Insight,
  type InsightScope,
  type OpenedInsight,
  type WaitingInsight,
} from './insight-scope.ts'

/** Requests grouped by their queue, tool, rule or worker. */
export async function readGroups(
  db: Db,
  scope: InsightScope,
  by: Exclude<InsightKey, 'person'>,
): Promise<readonly Insight[]> {
  const { key, name } = groupOf[by]
  const seconds = sql`extract(epoch from request.decided_at - request.created_at)`
  const requestGroups = sql<OpenedInsight>`
    select ${key} as key, ${name} as name,
      count(*)::int as opened,
      count(*) filter (where request.state = 'approved')::int as approved,
      count(*) filter (where request.state = 'denied')::int as denied,
      count(*) filter (where request.state = 'expired')::int as expired,
      count(*) filter (where ${wasCarriedOut})::int as "carriedOut",
      count(*) filter (where ${hasFailed})::int as failed,
      ${grantsUsed(sql`true`)} as "grantsUsed",
      ${quantile(0.5, seconds, wasDecided)} as "medianSeconds",
      ${quantile(0.9, seconds, wasDecided)} as "p90Seconds"
    from request ${runOfRequest} ${effects}
    where ${wasOpened(scope)} group by 1
  `
  const waiting = sql<WaitingInsight>`
    select ${key} as key, ${name} as name, ${waitingCounts(scope)}
    from request ${runOfRequest}
      left join external_request program on program.request_id = request.id
    where request.state = 'pending' and ${isCounted(scope)} group by 1
  `
  return mergeInsights((await requestGroups.execute(db)).rows, (await waiting.execute(db)).rows)
}
