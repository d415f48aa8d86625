import { sql, type RawBuilder } from 'kysely'
import type { RequestSort, RequestState } from '#domain/requests/request.ts'
import type { Risk } from '#domain/policy/verdict.ts'
import type { CursorKey } from '#store/paging/keyset.ts'
import { pageOfAny } from '#store/paging/page-of-any.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../../core/pages.ts'
import { matchWords, occursIn } from './matching-words.ts'
import { outcomeConditions, type OutcomeFilters } from './outcome-conditions.ts'
import { readItems } from './read-items.ts'
import { isPending, isSnoozed, mayDecideNow, waitsForCaller } from './waits-for-caller.ts'
import type { RequestItemRecord } from '../facts/request-record.ts'
import { viewerOf } from '../people/viewer.ts'
import { requestVisibilityRules } from '../people/visible-to.ts'

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
    conditions.push(sql<boolean>`request.tool = ${input.tool}`, occursIn(input.tool))
  }
  if (input.runId !== undefined) conditions.push(isOfRun('request', input.runId))
  if (input.rule !== undefined) {
    conditions.push(sql<boolean>`request.rule->>'id' = ${input.rule}`)
  }
  conditions.push(...outcomeConditions(input))
  if (input.q !== undefined) conditions.push(await matchWords(ctx, input.q.trim()))
  return conditions
}

/** Whether a row belongs to the run with this id or number; an unknown number matches none. */
export function isOfRun(table: 'request' | 'audit_event', reference: string): RawBuilder<boolean> {
  const column = sql.ref(`${table}.run_id`)
  return /^[0-9]+$/.test(reference)
    ? sql<boolean>`${column} = (select id from run where number = ${reference})`
    : sql<boolean>`${column} = ${reference}`
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
