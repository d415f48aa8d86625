import type { RuleProposalView } from '#api/schemas/requests/insights.ts'
import type { RecordOf } from '../core/record-of.ts'
import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import { requestVisibleTo } from '../requests/people/visible-to.ts'
import { lookedUp } from './insight-scope.ts'
import type { Viewer } from '../requests/people/viewer.ts'

/** The decisions on the calls that one rule of a worker asked about. */
export interface AskingRule extends RecordOf<RuleProposalView['evidence']> {
  readonly worker: string
  readonly ruleId: string
  readonly ruleText: string
}

/** How often a rule must have asked before a change of it is proposed. */
const minRequests = 10
const maxRules = 5
/** How many request numbers serve as evidence. */
const maxNumbers = 50

/**
 * Rules that asked ten times or more since a time, and whose requests were all approved unchanged,
 * by people who were not behind them, at medium risk at most. One denial, expiry, edit or request
 * that the viewer may not see excludes a rule. Cancelled and pending requests do not count. At most
 * five, those with the most requests first.
 */
export async function readAskingRules(
  db: Db,
  viewer: Viewer,
  since: Date,
): Promise<readonly AskingRule[]> {
  const { rows } = await sql<AskingRule>`
    select run.worker, request.rule->>'id' as "ruleId",
      max(request.rule->>'text') as "ruleText", count(*)::int as asked,
      count(*) filter (where request.state = 'approved')::int as approved,
      count(*) filter (where request.state = 'denied')::int as denied,
      round(percentile_cont(0.5) within group (
        order by extract(epoch from request.decided_at - request.created_at)))::int as "medianSeconds",
      (array_agg(request.number::int order by request.number desc))[1:${maxNumbers}] as requests
    from request ${lookedUp('run', sql`own.id = request.run_id`)}
    where request.created_at >= ${since} and request.kind = 'tool_call'
      and request.state in ('approved', 'denied', 'expired')
    group by run.worker, request.rule->>'id'
    having count(*) >= ${minRequests} and bool_and(
      request.state = 'approved' and request.revision = 1 and request.risk <> 'high'
      and exists (select 1 from decision where decision.request_id = request.id)
      and not exists (select 1 from decision where decision.request_id = request.id and (
        decision.decision <> 'approve' or decision.edited or decision.self_approved
        or exists (select 1 from request_principal principal
          join person on person.id = decision.person_id
          where principal.request_id = request.id
            and principal.person_id = any(person.other_ids || person.id))))
      and ${requestVisibleTo(viewer, 'request')})
    order by count(*) desc, run.worker, request.rule->>'id' limit ${maxRules}
  `.execute(db)
  return rows
}

/** The calls of a worker that people were asked about since a moment, newest first. */
export async function readCallsOfRule(
  db: Db,
  worker: string,
  { since, maxCalls }: { readonly since: Date; readonly maxCalls: number },
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('request')
    .innerJoin('run', 'run.id', 'request.run_id')
    .select(['request.call_id', 'request.number'])
    .where('request.created_at', '>=', since)
    .where('request.kind', '=', 'tool_call')
    .where('run.worker', '=', worker)
    .where('request.call_id', 'is not', null)
    .orderBy('request.created_at', 'desc')
    .limit(maxCalls)
    .execute()
  return new Map(rows.map(({ call_id, number }) => [call_id ?? '', Number(number)]))
}
