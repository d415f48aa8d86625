import { sql, type RawBuilder } from 'kysely'
import { actorTypes } from '#domain/actor.ts'
import type { AuditEventType } from '#domain/audit-event.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { checkPeriod } from '../core/problems/check-period.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { isOfRun } from '../requests/lists/list-requests.ts'
import { occursIn } from '../requests/lists/matching-words.ts'
import { existingRequest, findRequest } from '../requests/people/find-request.ts'
import { viewerOf, type Viewer } from '../requests/people/viewer.ts'
import { requestVisibilityRules } from '../requests/people/visible-to.ts'
import { searchWords } from '../search/search-words.ts'
import { requestsWithWords } from './find-words.ts'
import { byProgramOrNull, byRightOrNull, type Authority } from '../core/authority.ts'

/** How many of the newest matching requests are searched for events. */
const requestsSearched = 1_000

/** Which events to return. Every condition that is present must hold. */
export interface AuditFilter {
  readonly type?: AuditEventType
  /** an id, an e-mail address, or a kind: person, machine, policy, timer, system */
  readonly actor?: string
  /** id or number */
  readonly requestId?: string
  /** id or number */
  readonly runId?: string
  /** ISO 8601 instants: from (inclusive) to (exclusive) */
  readonly from?: string
  readonly to?: string
  /**
   * at most 8 words that all occur in the request's title, tool, reasons or comments, among the
   * newest 1,000 such requests
   */
  readonly q?: string
  /** only what happened outside of these hours of a working day, or on a weekend */
  readonly outside?: OfficeHours
}

/** Hours of Monday to Friday, `HH:MM`, in a time zone by its IANA name. */
export interface OfficeHours {
  readonly begin: string
  readonly end: string
  readonly timeZone: string
}

/**
 * The reader of the trail. `all`: they have the right `readAudit`, or are a key with the scope
 * `audit:read` of somebody who has it; others see the events of requests that they may see.
 */
export interface AuditReader {
  readonly viewer: Viewer
  /** the authority to read all of it */
  readonly authority: Authority | null
  readonly canReadAll: boolean
}

/** The reader of a caller. `keyReadsAudit`: a key with the scope `audit:read`. */
export async function auditReaderOf(
  ctx: ServiceContext,
  caller: Caller,
  keyReadsAudit: boolean,
): Promise<AuditReader> {
  const viewer = await viewerOf(ctx, caller)
  const byKey = keyReadsAudit ? await byProgramOrNull(ctx, caller, 'readAudit') : null
  const authority = byKey ?? (await byRightOrNull(ctx, caller, 'readAudit'))
  return { viewer, authority, canReadAll: authority !== null }
}

/**
 * The authority and reader of a caller who exports the trail. Rejects with `forbidden` for callers
 * who may not read the whole trail.
 */
export async function exporterOf(
  ctx: ServiceContext,
  caller: Caller,
  { keyReadsAudit, subject }: { readonly keyReadsAudit: boolean; readonly subject: string },
): Promise<{ readonly reader: AuditReader; readonly authority: Authority }> {
  const reader = await auditReaderOf(ctx, caller, keyReadsAudit)
  const { authority } = reader
  if (authority !== null) return { reader, authority }
  throw new Problem('forbidden', `Exporting ${subject} needs the right readAudit`)
}

/** Records that somebody reads or exports the trail. */
export async function recordExport(
  ctx: ServiceContext,
  authority: Authority,
  detail: JsonObject,
): Promise<void> {
  await inUnitOfWork(ctx, authority, (unit) => unit.audit({ type: 'audit.exported', detail }))
}

/**
 * The filter as SQL over `audit_event`. Rejects with `not_found` for a request that the reader may
 * not see, and with `invalid_request` for too many words.
 */
export async function auditConditions(
  ctx: ServiceContext,
  reader: AuditReader,
  filter: AuditFilter,
): Promise<RawBuilder<boolean>[]> {
  const conditions: RawBuilder<boolean>[] = []
  if (filter.requestId !== undefined) {
    const id = await requestIdOf(ctx, reader, filter.requestId)
    conditions.push(sql<boolean>`audit_event.request_id = ${id}`)
  }
  const { type, actor, runId, from, to, q, outside } = filter
  checkPeriod(filter)
  if (type !== undefined) conditions.push(sql<boolean>`audit_event.type = ${type}`)
  if (actor !== undefined) conditions.push(await actorCondition(ctx, actor))
  if (runId !== undefined) conditions.push(isOfRun('audit_event', runId))
  if (from !== undefined) conditions.push(sql<boolean>`audit_event.at >= ${from}::timestamptz`)
  if (to !== undefined) conditions.push(sql<boolean>`audit_event.at < ${to}::timestamptz`)
  if (q !== undefined) conditions.push(await isOfRequestWith(ctx, q))
  if (outside !== undefined) conditions.push(isOutside(outside))
  return conditions
}

/**
 * The conditions on `audit_event` of which one must hold for the reader to see an event. A
 * `filter.requestId` was checked before.
 */
export function waysToRead(reader: AuditReader, filter: AuditFilter): RawBuilder<boolean>[] {
  if (reader.canReadAll || filter.requestId !== undefined) return [sql<boolean>`true`]
  return requestVisibilityRules(reader.viewer, 'request').map(
    // The first condition matches that of the partial index of such events.
    (condition) => sql<boolean>`(audit_event.request_id is not null and exists (
      select 1 from request where request.id = audit_event.request_id and ${condition}))`,
  )
}

/**
 * The filter for an event's detail. Searched words may be about people and could never be erased
 * from an event, so the detail only says that there were some.
 */
export function filterDetail({ q, outside, ...filter }: AuditFilter): JsonObject {
  const setFilters = Object.entries(filter).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(setFilters),
    ...(q === undefined ? {} : { searched: true }),
    ...(outside === undefined ? {} : { outside: { ...outside } }),
  }
}

/**
 * Readers of the whole trail may also name requests that they do not see otherwise, those of
 * programs included.
 */
export async function requestIdOf(
  ctx: ServiceContext,
  reader: AuditReader,
  reference: string,
): Promise<string> {
  const existing = reader.canReadAll ? await existingRequest(ctx.db, reference) : null
  return (existing ?? (await findRequest(ctx.db, reader.viewer, reference))).id
}

/** Whether an event happened outside of office hours, weekends included. */
function isOutside({ begin, end, timeZone }: OfficeHours): RawBuilder<boolean> {
  const local = sql`(audit_event.at at time zone ${timeZone})`
  return sql<boolean>`(extract(isodow from ${local}) > 5
    or ${local}::time < ${begin}::time or ${local}::time >= ${end}::time)`
}

/** Whether an event is of one of the newest requests with these words. */
async function isOfRequestWith(ctx: ServiceContext, q: string): Promise<RawBuilder<boolean>> {
  const words = searchWords(q)
  const written = await requestsWithWords(ctx, words)
  const conditions = words.map((word, index) => {
    const ids = written[index] ?? []
    return ids.length === 0
      ? occursIn(word)
      : sql<boolean>`(${occursIn(word)} or request.id = any(${ids}::uuid[]))`
  })
  return sql<boolean>`audit_event.request_id = any(array(
    select request.id from request where ${sql.join(conditions, sql` and `)}
    order by request.created_at desc limit ${requestsSearched}))`
}

async function actorCondition(ctx: ServiceContext, actor: string): Promise<RawBuilder<boolean>> {
  const actorType = actorTypes.find((type) => type === actor)
  // A literal and not a parameter: only then does Postgres use the partial index of the rare kinds.
  if (actorType !== undefined) return sql<boolean>`audit_event.actor_type = ${sql.lit(actorType)}`
  if (!actor.includes('@')) return sql<boolean>`audit_event.actor_id = ${actor.toLowerCase()}`
  const person = await ctx.db
    .selectFrom('person')
    .select('id')
    .where('email', '=', actor.toLowerCase())
    .executeTakeFirst()
  return sql<boolean>`audit_event.actor_id = ${person?.id ?? ''}`
}
