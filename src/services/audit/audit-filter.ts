import { sql, type RawBuilder } from 'kysely'
import type { AuditEventType } from '../../domain/audit-event.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { findRequest } from '../requests/find-request.ts'
import { rightsOf } from '../requests/rights-of.ts'
import { viewerOf, type Viewer } from '../requests/viewer.ts'
import { requestVisibleTo } from '../requests/visible-to.ts'

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

const actorKinds = ['person', 'machine', 'policy', 'timer', 'system']

/** The filter as SQL over `audit_event`, with what the reader may see. Rejects with `not_found` for an unseen request. */
export async function auditConditions(
  ctx: ServiceContext,
  reader: AuditReader,
  filter: AuditFilter,
): Promise<RawBuilder<boolean>[]> {
  const conditions: RawBuilder<boolean>[] = []
  if (filter.requestId !== undefined) {
    const id = await requestIdOf(ctx, reader, filter.requestId)
    conditions.push(sql<boolean>`audit_event.request_id = ${id}`)
  } else if (!reader.all) {
    conditions.push(sql<boolean>`exists (
      select 1 from request where request.id = audit_event.request_id
        and ${requestVisibleTo(reader.viewer, 'request')})`)
  }
  const { type, actor, runId, from, to } = filter
  if (type !== undefined) conditions.push(sql<boolean>`audit_event.type = ${type}`)
  if (actor !== undefined) conditions.push(await actorCondition(ctx, actor))
  if (runId !== undefined) conditions.push(sql<boolean>`audit_event.run_id = ${runId}`)
  if (from !== undefined) conditions.push(sql<boolean>`audit_event.at >= ${from}::timestamptz`)
  if (to !== undefined) conditions.push(sql<boolean>`audit_event.at < ${to}::timestamptz`)
  return conditions
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
  if (actorKinds.includes(actor)) return sql<boolean>`audit_event.actor_type = ${actor}`
  if (!actor.includes('@')) return sql<boolean>`audit_event.actor_id = ${actor}`
  const person = await ctx.db
    .selectFrom('person')
    .select('id')
    .where('email', '=', actor.toLowerCase())
    .executeTakeFirst()
  return sql<boolean>`audit_event.actor_id = ${person?.id ?? ''}`
}
