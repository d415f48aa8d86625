import { sql } from 'kysely'
import type { Caller, ServiceContext } from '../core/context.ts'
import { filterDetail, recordExport, type AuditFilter } from './audit-filter.ts'
import { byReader } from '../core/authority.ts'

const sittingMinutes = 10

/**
 * Records that somebody reads the whole trail, once in a while only, so that a page that refreshes
 * does not fill the trail.
 */
export async function recordReading(
  ctx: ServiceContext,
  caller: Caller,
  reading: { readonly format: 'page' | 'entries'; readonly filter: AuditFilter },
): Promise<void> {
  const { actor } = caller
  if (!('id' in actor)) return
  const lately = await ctx.db
    .selectFrom('audit_event')
    .select('id')
    .where('actor_id', '=', actor.id)
    .where('type', '=', 'audit.exported')
    .where('at', '>', sql<Date>`clock_timestamp() - ${sittingMinutes} * interval '1 minute'`)
    .limit(1)
    .executeTakeFirst()
  if (lately !== undefined) return
  const { format, filter } = reading
  await recordExport(ctx, byReader(caller), { format, filter: filterDetail(filter) })
}
