import { sql, type RawBuilder } from 'kysely'
import type { Db } from '#store/database.ts'
import { namesTeam } from '../requests/people/visible-to.ts'
import { isImpartial } from '../requests/people/who-decides.ts'
import {
  effects,
  grantsUsed,
  hasFailed,
  isCounted,
  mergeInsights,
  quantile,
  votes,
  waitingCounts,
  wasCarriedOut,
  wasOpened,
  type Insight,
  type InsightScope,
  type OpenedInsight,
  type WaitingInsight,
} from './insight-scope.ts'

/**
 * Requests by the people who decided them: their votes and how long they took, and what waits for
 * them now. The caller's own, or everybody's for readers of the trail.
 */
export async function readLoads(db: Db, scope: InsightScope): Promise<readonly Insight[]> {
  const { viewer, seesAll } = scope
  const all = sql<boolean>`true`
  const isShown = seesAll ? all : sql<boolean>`person.id = ${viewer.personId}`
  const seconds = sql`extract(epoch from decision.at - request.created_at)`
  const approved = sql<boolean>`decision.decision = 'approve'`
  const requestGroups = sql<OpenedInsight>`
    select person.id as key, person.name, count(distinct request.id)::int as opened,
      ${requests(approved)} as approved,
      ${requests(sql<boolean>`decision.decision = 'deny'`)} as denied,
      0 as expired,
      ${requests(sql<boolean>`${approved} and ${wasCarriedOut}`)} as "carriedOut",
      ${requests(sql<boolean>`${approved} and ${hasFailed}`)} as failed,
      ${grantsUsed(sql`approval_grant.granted_by = decision.person_id and decision.scope is not null`)} as "grantsUsed",
      ${quantile(0.5, seconds, all)} as "medianSeconds", ${quantile(0.9, seconds, all)} as "p90Seconds"
    from request ${votes}
      join person on person.id = decision.person_id ${effects}
    where ${wasOpened(scope)} and ${isShown} group by person.id
  `
  const waiting = sql<WaitingInsight>`
    select person.id as key, person.name, ${waitingCounts(scope)}
    from request
      cross join lateral (
        select distinct team_member.person_id from team_member
        where ${namesTeam('request', sql.ref('team_member.team'))}) reached
      join person on person.id = reached.person_id
    where request.state = 'pending' and ${isCounted(scope)} and ${isShown}
      and person.disabled_at is null
      and ${isImpartial('request', 'person')}
      and not coalesce((select true from decision where decision.request_id = request.id
        and decision.revision = request.revision and decision.person_id = person.id limit 1), false)
    group by person.id
  `
  return mergeInsights((await requestGroups.execute(db)).rows, (await waiting.execute(db)).rows)
}

/** How many requests have such a vote: two votes of a person on two revisions are of one. */
function requests(where: RawBuilder<boolean>): RawBuilder<number> {
  return sql`count(distinct request.id) filter (where ${where})::int`
}
