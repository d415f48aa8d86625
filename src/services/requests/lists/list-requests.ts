import { sql, type RawBuilder } from 'kysely'
import { isShortNumber } from '#domain/requests/reference-forms.ts'
import type { RequestSort, RequestState } from '#domain/requests/request.ts'
import type { Risk } from '#domain/policy/verdict.ts'
import type { CursorKey } from '#store/paging/keyset.ts'
import { pageOfAny } from '#store/paging/page-of-any.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../../core/pages.ts'
import { outcomeConditions, type OutcomeFilters } from './outcome-conditions.ts'
import { readItems } from './read-items.ts'
import type { RequestItemRecord } from '../facts/request-record.ts'
import { viewerOf } from '../people/viewer.ts'
import {
  inQuorumOf,
  isQuestionTo,
  requestVisibilityRules,
  rowsOfHuman,
} from '../people/visible-to.ts'

export interface ListRequestsInput extends PageInput, OutcomeFilters {
  readonly state?: RequestState
  readonly queue?: string
  readonly risk?: Risk
  readonly tool?: string
  /** id or number */
  readonly runId?: string
  /** id of the rule that asked */
  readonly rule?: string
  /** pending, the caller may decide it, has not voted, and has not snoozed it (see `snoozed`) */
  readonly mine?: boolean
  /** pending, and snoozed by the caller; with `mine` those of them that wait for the caller */
  readonly snoozed?: boolean
  /** words in the title, the tool's or the worker's name, or the number */
  readonly q?: string
  /**
   * `urgency` (the default: by deadline class, then risk, then age; ended ones last, newest first),
   * `createdAt` (newest first), `age` (oldest first), `expiresAt` (soonest) or `risk` (highest,
   * then soonest)
   */
  readonly sort?: RequestSort
}

/** One order of the list. */
interface Order {
  readonly keys: readonly {
    readonly sql: RawBuilder<unknown>
    readonly type: string
    readonly kind: CursorKey
  }[]
  readonly descending: boolean
}

const riskRank = sql`(case risk when 'high' then 1 when 'medium' then 2 else 3 end)`
/** Requests of a turn have one instant and stay in call order (product.md 15). */
const callOrder = [
  { sql: sql`coalesce(request.position, 0)`, type: 'bigint', kind: 'signed' },
  { sql: sql`request.number`, type: 'bigint', kind: 'signed' },
] as const
const callOrderDescending = [
  { sql: sql`(- coalesce(request.position, 0))`, type: 'bigint', kind: 'signed' },
  { sql: sql`(- request.number)`, type: 'bigint', kind: 'signed' },
] as const
const opening = { sql: sql`request.created_at`, type: 'timestamptz', kind: 'instant' } as const
const expiry = { sql: sql`request.expires_at`, type: 'timestamptz', kind: 'instant' } as const
/** Triggers keep it equal for the pending requests of a turn; the run's id comes next. */
const urgency = [
  { sql: sql`request.urgency_rank`, type: 'smallint', kind: 'number' },
  { sql: sql`request.urgency_at`, type: 'bigint', kind: 'signed' },
  { sql: sql`coalesce(request.run_id, request.id)`, type: 'uuid', kind: 'id' },
  { sql: sql`coalesce(request.turn, 0)`, type: 'int', kind: 'signed' },
] as const
const orders: Readonly<Record<RequestSort, Order>> = {
  urgency: { keys: [...urgency, ...callOrder], descending: false },
  createdAt: { keys: [opening, ...callOrderDescending], descending: true },
  age: { keys: [opening, ...callOrder], descending: false },
  expiresAt: { keys: [expiry, ...callOrder], descending: false },
  risk: {
    keys: [{ sql: riskRank, type: 'int', kind: 'number' }, expiry, ...callOrder],
    descending: false,
  },
}

/**
 * A page of the requests that the caller may see (security.md 22), by keyset: four queries, five
 * for a search. Rejects with `invalid_request` for a cursor of another list.
 */
export async function listRequests(
  ctx: ServiceContext,
  caller: Caller,
  input: ListRequestsInput,
): Promise<Page<RequestItemRecord>> {
  const viewer = await viewerOf(ctx, caller)
  const sort = sortOf(input)
  const order = orders[sort]
  const conditions = await conditionsOf(ctx, caller, input)
  const kinds = order.keys.map((key) => key.kind)
  const last = keysBefore(input, sort, kinds)
  if (last !== null) conditions.push(after(order, last))
  const keys = order.keys.map((key) => key.sql)
  const { rows } = await sql<{ id: string; keys: string[] }>`${pageOfAny({
    columns: [
      sql`request.id`,
      sql`array[${sql.join(keys.map((key) => sql`${key}::text`))}] as keys`,
    ],
    from: sql`request`,
    where: conditions,
    // People who may decide it are in its teams: no other condition is needed.
    anyOf: input.mine === true ? [sql<boolean>`true`] : requestVisibilityRules(viewer, 'request'),
    order: { keys, descending: order.descending },
    limit: pageSize(input) + 1,
  })}`.execute(ctx.db)
  const page = pageFrom(rows, input, sort, (row) => row.keys)
  const items = await readItems(
    ctx.db,
    caller,
    page.items.map((row) => row.id),
  )
  return { items, nextCursor: page.nextCursor }
}

/** Ended requests have no urgency: a list of only them is newest first, by its own index. */
function sortOf(input: ListRequestsInput): RequestSort {
  const { sort = 'urgency', state, mine, snoozed, decided, unseen } = input
  const ofEnded = state === undefined ? decided === true || unseen === true : state !== 'pending'
  const onlyEnded = ofEnded && mine !== true && snoozed !== true
  return sort === 'urgency' && onlyEnded ? 'createdAt' : sort
}

async function conditionsOf(
  ctx: ServiceContext,
  caller: Caller,
  input: ListRequestsInput,
): Promise<RawBuilder<boolean>[]> {
  const conditions: RawBuilder<boolean>[] = []
  const state = input.mine === true || input.snoozed === true ? 'pending' : input.state
  // A literal and not a parameter: only then does Postgres use the partial indexes of a state.
  if (state === 'pending') conditions.push(isPending)
  else if (state !== undefined) conditions.push(sql<boolean>`request.state = ${sql.lit(state)}`)
  if (state !== undefined && input.state !== undefined && input.state !== state) {
    conditions.push(sql<boolean>`false`)
  }
  // The planner estimates that half of the rows pass a `case`. For the bare condition it estimates
  // almost none, and then reads and sorts all pending requests instead of the first ones by an
  // index.
  if (input.mine === true) {
    const isMine = input.snoozed === true ? mayDecideNow(caller) : waitsForCaller(caller)
    conditions.push(sql<boolean>`case when ${isMine} then true else false end`)
  }
  if (input.snoozed === true) conditions.push(isSnoozed(caller))
  if (input.queue !== undefined) conditions.push(sql<boolean>`request.queue = ${input.queue}`)
  if (input.risk !== undefined) conditions.push(sql<boolean>`request.risk = ${input.risk}`)
  if (input.tool !== undefined) {
    // The search index finds the few requests of a rare tool.
    const holds = sql<boolean>`${searched} ilike ${likePattern(input.tool)}`
    conditions.push(sql<boolean>`request.tool = ${input.tool}`, holds)
  }
  if (input.runId !== undefined) conditions.push(isOfRun('request', input.runId))
  if (input.rule !== undefined) {
    conditions.push(sql<boolean>`request.rule->>'id' = ${input.rule}`)
  }
  conditions.push(...outcomeConditions(input))
  if (input.q !== undefined) conditions.push(await matchWords(ctx, input.q.trim()))
  return conditions
}

/**
 * Pending requests. They come before ended ones, at rank 12: with both conditions an index of all
 * requests of a person is read up to there.
 */
export const isPending = sql<boolean>`(request.state = 'pending' and request.urgency_rank < 12)`

/** A snooze ends at the latest this many minutes before the deadline. */
const nearDeadlineMinutes = 60

/** Whether the caller has put a request off until later than now. */
function isSnoozed(caller: Caller): RawBuilder<boolean> {
  if (caller.actor.type !== 'person') return sql<boolean>`false`
  return sql<boolean>`coalesce((
    select true from request_snooze s where s.request_id = request.id
      and s.person_id = ${caller.actor.id} and s.until > clock_timestamp() limit 1), false)`
}

/** When a snooze until then stops hiding a pending request from the person's own. */
export const endOfSnooze = sql<Date>`least(request_snooze.until,
  request.expires_at - ${sql.lit(nearDeadlineMinutes)} * interval '1 minute')`

/** Requests that this person may decide and has not snoozed. */
export function waitsForCaller(caller: Caller): RawBuilder<boolean> {
  if (caller.actor.type !== 'person') return sql<boolean>`false`
  return sql<boolean>`(${mayDecideNow(caller)} and not (${isSnoozed(caller)}
    and request.expires_at > clock_timestamp() + ${nearDeadlineMinutes} * interval '1 minute'))`
}

/**
 * Requests that this person may decide and has not voted on, by the rules of the decision, for many
 * rows at once. Under an `or` or a `filter`, Postgres would hash the whole table for an `exists`;
 * these look rows up one by one.
 */
export function mayDecideNow(caller: Caller): RawBuilder<boolean> {
  if (caller.actor.type !== 'person') return sql<boolean>`false`
  const personId = caller.actor.id
  return sql<boolean>`(
    request.state = 'pending' and request.expires_at > clock_timestamp()
    and (${inQuorumOf('request', personId)} or ${isQuestionTo('request', sql`${personId}::uuid`)})
    and exists (select 1 from person where person.id = ${personId} and person.disabled_at is null)
    and (request.routing->'selfApproval' = 'true'::jsonb or not coalesce((
      select true from request_principal p
      where p.request_id = request.id and p.person_id = any(${rowsOfHuman(personId)}) limit 1), false)
      or ${isQuestionTo('request', sql`${personId}::uuid`)})
    and not coalesce((
      select true from decision d where d.request_id = request.id
        and d.revision = request.revision and d.person_id = ${personId} limit 1), false)
  )`
}

/** The searched text, as in the trigram index. */
const searched = sql`(request.title || e'\n' || request.tool)`

/** Whether a row belongs to the run with this id or number; an unknown number matches none. */
export function isOfRun(table: 'request' | 'audit_event', reference: string): RawBuilder<boolean> {
  const column = sql.ref(`${table}.run_id`)
  return /^[0-9]+$/.test(reference)
    ? sql<boolean>`${column} = (select id from run where number = ${reference})`
    : sql<boolean>`${column} = ${reference}`
}

/** Whether a word occurs in a request's title or its tool's name. */
export function occursIn(word: string): RawBuilder<boolean> {
  return sql<boolean>`${searched} ilike ${likePattern(word)}`
}

/**
 * Requests with the words in the title or the tool's name, or with the number (`12`, `#12`); or
 * with the words in the name of the worker, or of the program's key. There are few such names, and
 * only when one matches are its requests searched.
 */
async function matchWords(ctx: ServiceContext, words: string): Promise<RawBuilder<boolean>> {
  const pattern = likePattern(words)
  const { rows } = await sql<{ workers: string[]; keys: string[]; asked: string[] }>`
    select array(select distinct name from worker_version where name ilike ${pattern}) as workers,
      array(select id from api_key where name ilike ${pattern}) as keys,
      array(select request_id from external_request where external_id = ${words}) as asked
  `.execute(ctx.db)
  const { workers = [], keys = [], asked: requestIds = [] } = rows[0] ?? {}
  const conditions = [sql<boolean>`${searched} ilike ${pattern}`]
  const number = words.replace(/^#/, '')
  if (isShortNumber(number)) conditions.push(sql<boolean>`request.number = ${number}`)
  if (requestIds.length > 0) conditions.push(sql<boolean>`request.id = any(${requestIds}::uuid[])`)
  if (workers.length > 0) {
    conditions.push(sql<boolean>`
      (select worker from run where run.id = request.run_id) = any(${workers}::text[])`)
  }
  if (keys.length > 0) {
    conditions.push(sql<boolean>`(
      select api_key_id from external_request e where e.request_id = request.id) = any(${keys}::text[])`)
  }
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

/** A `like` pattern that finds the words anywhere, with special characters escaped. */
export function likePattern(words: string): string {
  return `%${words.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`
}

/** The rows after the keys of a page's last row. */
function after(order: Order, last: readonly string[]): RawBuilder<boolean> {
  const columns = sql.join(order.keys.map((key) => key.sql))
  const values = sql.join(
    order.keys.map((key, index) => sql`${last[index]}::text::${sql.raw(key.type)}`),
  )
  return order.descending
    ? sql<boolean>`(${columns}) < (${values})`
    : sql<boolean>`(${columns}) > (${values})`
}
