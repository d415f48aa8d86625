import { sql } from 'kysely'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { filterDetail, type AuditFilter } from './audit-filter.ts'

const sittingMinutes = 10

/** Reading the whole trail is an event too: once a sitting, so that a page that refreshes does not fill the trail. */
export async function recordReading(
  ctx: ServiceContext,
  caller: Caller,
  read: { readonly format: 'page' | 'entries'; readonly filter: AuditFilter },
): Promise<void> {
  const { actor, channel } = caller
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
  await inUnitOfWork(ctx, (unit) =>
    unit.audit({
      type: 'audit.exported',
      actor,
      channel,
      detail: { format: read.format, filter: filterDetail(read.filter) },
    }),
  )
}
