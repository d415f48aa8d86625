import { sql, type RawBuilder } from 'kysely'
import type { AttentionView } from '#api/schemas/requests/attention.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import type { RequestKind } from '#domain/requests/request.ts'
import type { Db } from '#store/database.ts'
import { expiredUnseen } from '../requests/lists/outcome-conditions.ts'
import { lookedUp, newestRevision, votes, wasOpened, type InsightScope } from './insight-scope.ts'
import type { RecordOf } from '../core/record-of.ts'

/**
 * Characters a second at 600 words a minute, faster than anybody reads. Something that was approved
 * faster was not read.
 */
const readPerSecond = 50
const maxItems = 20
/** How many of the newest request numbers one item has. */
const maxNumbers = 20

/** One approval, or several given in one action, in less time than reading takes. */
export type FastApproval = RecordOf<AttentionView['fastApprovals']['items'][number]>

/** A request that expired without anybody having reacted to it. */
export type ExpiredUnseen = RecordOf<AttentionView['expiredUnseen']['items'][number]>

/** The same call, requested by more than one step of agents or programs. */
export type RepeatedCalls = RecordOf<AttentionView['askedTwice']['items'][number]>

/** The newest items of a kind, and the number of all. */
export interface CountedItems<Item> {
  readonly count: number
  readonly items: readonly Item[]
}

/**
 * Approvals that were faster than what was shown can be read: of an edit that is its difference,
 * and not the file. They are the caller's own, or everybody's for readers of the trail. Reading
 * begins when the revision was shown, or at the same person's previous approval, whichever is
 * later; requests approved in one action are read together.
 */
export async function readFastApprovals(
  db: Db,
  scope: InsightScope,
): Promise<CountedItems<FastApproval>> {
  const { viewer, seesAll } = scope
  const isShown = seesAll
    ? sql<boolean>`true`
    : sql<boolean>`decision.person_id = ${viewer.personId}`
  return countedRows(
    db,
    sql<FastApproval & CountedRow>`
    with act as (
      select decision.person_id, max(decision.at) as at, max(request_revision.created_at) as shown_at,
        sum(least(content.size, shown.size))::float8 / ${readPerSecond} as needed,
        (array_agg(coalesce(request_revision.effect, request.title) order by request.number desc))[1] as title,
        (array_agg(request.number::int order by request.number desc))[1:${maxNumbers}] as requests
      from request
        ${votes}
        ${lookedUp('request_revision', sql`own.request_id = request.id and own.revision = decision.revision`)}
        ${lookedUp('content', sql`own.hash = request_revision.content_hash`)}
        left join lateral (select size from content as own
          where own.hash = request_revision.presentation_hash offset 0) shown on true
      where ${wasOpened(scope)} and ${isShown} and decision.decision = 'approve' and request.kind in ('tool_call', 'external')
      group by decision.person_id, coalesce(decision.batch_decision_id, decision.id)
    ), timed as (
      select *, extract(epoch from at - greatest(shown_at,
        lag(at) over (partition by person_id order by at)))::float8 as taken
      from act
    )
    select jsonb_build_object('id', person.id, 'name', person.name) as person, at, title, requests,
      floor(greatest(taken, 0))::int as seconds, ceil(needed)::int as "readSeconds",
      count(*) over ()::int as found
    from timed join person on person.id = timed.person_id
    where taken < needed order by at desc limit ${maxItems}`,
  )
}

/** Requests that expired without a vote, claim, answer or handing over. */
export async function readExpiredUnseen(
  db: Db,
  scope: InsightScope,
): Promise<CountedItems<ExpiredUnseen>> {
  const { count, items } = await countedRows(
    db,
    sql<ExpiredUnseen & CountedRow & { readonly kind: RequestKind; readonly effect: string }>`
    select request.number::int as number, request.kind, request.title,
      coalesce(request_revision.effect, request.title) as effect, request.queue,
      request.created_at as "openedAt", request.expires_at as "expiredAt",
      count(*) over ()::int as found
    from request ${newestRevision}
    where ${wasOpened(scope)} and ${expiredUnseen}
    order by request.created_at desc, request.id desc limit ${maxItems}`,
  )
  return {
    count,
    items: items.map(({ kind, title, effect, ...item }) => ({
      ...item,
      title: requestHeadline({ kind, title, effect }),
    })),
  }
}

/**
 * Calls with the same digest that were requested more than once. A call that was renewed because
 * its file had changed counts once.
 */
export async function readRepeatedCalls(
  db: Db,
  scope: InsightScope,
): Promise<CountedItems<RepeatedCalls>> {
  return countedRows(
    db,
    sql<RepeatedCalls & CountedRow>`
    select max(request.tool) as tool,
      (array_agg(coalesce(request_revision.effect, request.title) order by request.number desc))[1] as title,
      count(distinct coalesce(request.call_id, request.id))::int as times,
      count(*) filter (where request.state = 'approved')::int as approved,
      count(*) filter (where request.state = 'denied')::int as denied,
      (array_agg(request.number::int order by request.number desc))[1:${maxNumbers}] as requests,
      count(*) over ()::int as found
    from request ${newestRevision}
    where ${wasOpened(scope)} and request.kind in ('tool_call', 'external')
    group by request.digest having count(distinct coalesce(request.call_id, request.id)) > 1
    order by 3 desc, max(request.created_at) desc limit ${maxItems}`,
  )
}

interface CountedRow {
  /** number of rows without the limit */
  readonly found: number
}

async function countedRows<Row extends CountedRow>(
  db: Db,
  query: RawBuilder<Row>,
): Promise<CountedItems<Omit<Row, 'found'>>> {
  const { rows } = await query.execute(db)
  let count = 0
  const items = rows.map(({ found: total, ...item }) => {
    count = total
    return item
  })
  return { count, items }
}
