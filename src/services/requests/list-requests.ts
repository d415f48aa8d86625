import { sql, type RawBuilder } from 'kysely'
import { limits } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import type { RequestState } from '../../domain/request.ts'
import type { Risk } from '../../domain/verdict.ts'
import { decodeCursor, encodeCursor, type CursorKey } from '../../store/keyset.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { readItems } from './read-items.ts'
import type { RequestItemRecord } from './request-record.ts'
import { viewerOf, type Viewer } from './viewer.ts'
import { inQuorumOf, requestVisibleTo } from './visible-to.ts'

export type RequestSort = 'createdAt' | 'age' | 'expiresAt' | 'risk'

export interface ListRequestsInput {
  readonly state?: RequestState
  readonly queue?: string
  readonly risk?: Risk
  readonly tool?: string
  readonly runId?: string
  /** pending, the caller may decide it, and has not voted */
  readonly mine?: boolean
  /** words in the title, the tool's or the worker's name, or the number */
  readonly q?: string
  /** `createdAt` (newest first, the default), `age` (oldest first), `expiresAt` (soonest) or `risk` (highest, then soonest) */
  readonly sort?: RequestSort
  readonly cursor?: string
  /** 50 when absent, at most 200 */
  readonly limit?: number
}

export interface RequestPage {
  readonly items: readonly RequestItemRecord[]
  readonly nextCursor: string | null
}

/** One order of the list: its keys as SQL, all in one direction so that a row comparison finds the next page. */
interface Order {
  readonly keys: readonly {
    readonly sql: RawBuilder<unknown>
    readonly type: string
    readonly kind: CursorKey
  }[]
  readonly descending: boolean
}

const riskRank = sql`(case risk when 'high' then 1 when 'medium' then 2 else 3 end)`
const id = { sql: sql`request.id`, type: 'uuid', kind: 'id' } as const
const opening = { sql: sql`request.created_at`, type: 'timestamptz', kind: 'instant' } as const
const expiry = { sql: sql`request.expires_at`, type: 'timestamptz', kind: 'instant' } as const
const orders: Readonly<Record<RequestSort, Order>> = {
  createdAt: { keys: [opening, id], descending: true },
  age: { keys: [opening, id], descending: false },
  expiresAt: { keys: [expiry, id], descending: false },
  risk: { keys: [{ sql: riskRank, type: 'int', kind: 'number' }, expiry, id], descending: false },
}

/**
 * A page of the requests that the caller may see (security.md 22), by keyset: four queries, whatever the page.
 * Rejects with `invalid_request` for a cursor that is not of this list.
 */
export async function listRequests(
  ctx: ServiceContext,
  caller: Caller,
  input: ListRequestsInput,
): Promise<RequestPage> {
  const viewer = await viewerOf(ctx, caller)
  const sort = input.sort ?? 'createdAt'
  const order = orders[sort]
  const limit = Math.min(input.limit ?? limits.listDefault, limits.listMost)
  const direction = order.descending ? sql`desc` : sql`asc`
  const conditions = conditionsOf(caller, viewer, input)
  if (input.cursor !== undefined) conditions.push(after(order, sort, input.cursor))
  const keys = order.keys.map((key) => key.sql)
  const { rows } = await sql<{ id: string; keys: string[] }>`
    select request.id, array[${sql.join(keys.map((key) => sql`${key}::text`))}] as keys
    from request
    where ${sql.join(conditions, sql` and `)}
    order by ${sql.join(keys.map((key) => sql`${key} ${direction}`))}
    limit ${limit + 1}
  `.execute(ctx.db)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const items = await readItems(
    ctx.db,
    caller,
    page.map((row) => row.id),
  )
  const more = rows.length > limit && last !== undefined
  return { items, nextCursor: more ? encodeCursor(sort, last.keys) : null }
}

function conditionsOf(
  caller: Caller,
  viewer: Viewer,
  input: ListRequestsInput,
): RawBuilder<boolean>[] {
  const conditions = [requestVisibleTo(viewer, 'request')]
  const state = input.mine === true ? 'pending' : input.state
  // A literal, not a parameter: only then do the partial indexes of what is pending serve a cached plan.
  if (state === 'pending') conditions.push(sql<boolean>`request.state = 'pending'`)
  else if (state !== undefined) conditions.push(sql<boolean>`request.state = ${state}`)
  if (input.mine === true && input.state !== undefined && input.state !== 'pending') {
    conditions.push(sql<boolean>`false`)
  }
  if (input.mine === true) conditions.push(mine(caller))
  if (input.queue !== undefined) conditions.push(sql<boolean>`request.queue = ${input.queue}`)
  if (input.risk !== undefined) conditions.push(sql<boolean>`request.risk = ${input.risk}`)
  if (input.tool !== undefined) conditions.push(sql<boolean>`request.tool = ${input.tool}`)
  if (input.runId !== undefined) conditions.push(sql<boolean>`request.run_id = ${input.runId}`)
  const words = input.q?.trim() ?? ''
  if (words !== '') conditions.push(matching(words))
  return conditions
}

/** What waits for this very person: the same rules as the decision's, asked of many rows at once. */
export function mine(caller: Caller): RawBuilder<boolean> {
  if (caller.actor.type !== 'person') return sql<boolean>`false`
  const personId = caller.actor.id
  return sql<boolean>`(
    request.state = 'pending' and request.expires_at > clock_timestamp()
    and ${inQuorumOf('request', personId)}
    and exists (select 1 from person where person.id = ${personId} and person.disabled_at is null)
    and (request.routing->'selfApproval' = 'true'::jsonb or not exists (
      select 1 from request_principal p where p.request_id = request.id and p.person_id = ${personId}))
    and not exists (
      select 1 from decision d where d.request_id = request.id
        and d.revision = request.revision and d.person_id = ${personId})
  )`
}

function matching(words: string): RawBuilder<boolean> {
  const pattern = `%${words.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`
  return sql<boolean>`(
    request.title ilike ${pattern} or request.tool ilike ${pattern} or request.number::text = ${words}
    or exists (select 1 from run where run.id = request.run_id and run.worker ilike ${pattern})
    or exists (select 1 from external_request e join api_key k on k.id = e.api_key_id
      where e.request_id = request.id and (k.name ilike ${pattern} or e.external_id = ${words}))
  )`
}

function after(order: Order, sort: RequestSort, cursor: string): RawBuilder<boolean> {
  const keys = decodeCursor(
    cursor,
    sort,
    order.keys.map((key) => key.kind),
  )
  if (keys === null) {
    const message = 'is not a cursor of this list'
    throw new Problem('invalid_request', `cursor ${message}`, { field: 'cursor', message })
  }
  const columns = sql.join(order.keys.map((key) => key.sql))
  const values = sql.join(
    order.keys.map((key, index) => sql`${keys[index]}::text::${sql.raw(key.type)}`),
  )
  return order.descending
    ? sql<boolean>`(${columns}) < (${values})`
    : sql<boolean>`(${columns}) > (${values})`
}
