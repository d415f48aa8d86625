import { sql, type RawBuilder } from 'kysely'
import type { AuditEventType } from '../../domain/audit-event.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { findRequest } from '../requests/find-request.ts'
import { rightsOf } from '../requests/rights-of.ts'
import { viewerOf, type Viewer } from '../requests/viewer.ts'
import { waysToSeeRequest } from '../requests/visible-to.ts'

/** Which events. All that are given must hold. */
export interface AuditFilter {
  readonly type?: AuditEventType
  /** an id, an e-mail address, or a kind: person, machine, policy, timer, system */
  readonly actor?: string
  /** id or number */
  readonly requestId?: string
  readonly runId?: string
  /** ISO 8601 instants: from (included) to (left out) */
  readonly from?: string
  readonly to?: string
}

/** Who reads the trail. `all`: the right `readAudit`, or a key with the scope `audit:read`; others see their requests' events. */
export interface AuditReader {
  readonly viewer: Viewer
  readonly all: boolean
}

/** `keyReadsAudit`: the caller is a key that holds `audit:read`, as its authentication found. */
export async function auditReaderOf(
  ctx: ServiceContext,
  caller: Caller,
  keyReadsAudit: boolean,
): Promise<AuditReader> {
  const viewer = await viewerOf(ctx, caller)
  const all =
    caller.actor.type === 'machine'
      ? keyReadsAudit
      : (await rightsOf(ctx, viewer.personId)).has('readAudit')
  return { viewer, all }
}

const actorKinds = ['person', 'machine', 'policy', 'timer', 'system'] as const

/** The filter as SQL over `audit_event`. Rejects with `not_found` for a request that the reader does not see. */
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
  const { type, actor, runId, from, to } = filter
  if (type !== undefined) conditions.push(sql<boolean>`audit_event.type = ${type}`)
  if (actor !== undefined) conditions.push(await actorCondition(ctx, actor))
  if (runId !== undefined) conditions.push(sql<boolean>`audit_event.run_id = ${runId}`)
  if (from !== undefined) conditions.push(sql<boolean>`audit_event.at >= ${from}::timestamptz`)
  if (to !== undefined) conditions.push(sql<boolean>`audit_event.at < ${to}::timestamptz`)
  return conditions
}

/** What the reader may see of `audit_event`, of which one has to hold: with `filter.requestId` that is judged already. */
export function waysToRead(reader: AuditReader, filter: AuditFilter): RawBuilder<boolean>[] {
  if (reader.all || filter.requestId !== undefined) return [sql<boolean>`true`]
  return waysToSeeRequest(reader.viewer, 'request').map(
    (way) => sql<boolean>`exists (
      select 1 from request where request.id = audit_event.request_id and ${way})`,
  )
}

/** The filter as an event's detail carries it. */
export function filterDetail(filter: AuditFilter): JsonObject {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

/** Who may read the whole trail may also ask for requests they do not see otherwise. */
export async function requestIdOf(
  ctx: ServiceContext,
  reader: AuditReader,
  reference: string,
): Promise<string> {
  const viewer = reader.all ? { ...reader.viewer, managesRuns: true } : reader.viewer
  return (await findRequest(ctx.db, viewer, reference)).id
}

async function actorCondition(ctx: ServiceContext, actor: string): Promise<RawBuilder<boolean>> {
  const kind = actorKinds.find((one) => one === actor)
  // A literal, not a parameter: only then does the partial index of the rare kinds serve.
  if (kind !== undefined) return sql<boolean>`audit_event.actor_type = ${sql.lit(kind)}`
  if (!actor.includes('@')) return sql<boolean>`audit_event.actor_id = ${actor}`
  const person = await ctx.db
    .selectFrom('person')
    .select('id')
    .where('email', '=', actor.toLowerCase())
    .executeTakeFirst()
  return sql<boolean>`audit_event.actor_id = ${person?.id ?? ''}`
}
