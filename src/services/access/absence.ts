import { sql } from 'kysely'
import { bySelf } from '../core/authority.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { invalid } from '../core/problems/invalid.ts'

/** Somebody's absence: they get no notifications and do not count as reachable. */
export interface AbsenceRecord {
  readonly until: Date
  readonly note: string | null
}

/**
 * Sets until when the caller is away. They keep every right: the absence is a hint, so the trail
 * records no event. Rejects with `invalid_request` for a time that has passed.
 */
export async function setAbsence(
  ctx: ServiceContext,
  caller: Caller,
  { until, note }: { readonly until: string; readonly note?: string },
): Promise<AbsenceRecord> {
  const authority = bySelf(caller, 'Only people can set an absence')
  return inUnitOfWork(ctx, authority, async ({ tx }) => {
    const { rows } = await sql<{ ahead: boolean }>`
      select ${until}::timestamptz > clock_timestamp() as ahead
    `.execute(tx)
    if (rows[0]?.ahead !== true) throw invalid('until', 'must be in the future')
    const absence = { until: new Date(until), note: note ?? null }
    await tx
      .insertInto('absence')
      .values({ person_id: authority.actor.id, ...absence })
      .onConflict((conflict) => conflict.column('person_id').doUpdateSet(absence))
      .execute()
    return absence
  })
}

/** Ends the caller's absence; without one, it changes nothing. */
export async function endAbsence(ctx: ServiceContext, caller: Caller): Promise<void> {
  const authority = bySelf(caller, 'Only people can set an absence')
  await inUnitOfWork(ctx, authority, async ({ tx }) => {
    await tx.deleteFrom('absence').where('person_id', '=', authority.actor.id).execute()
  })
}

/** Until when somebody is away; null: they are not away. */
export async function readAbsence(
  ctx: ServiceContext,
  personId: string,
): Promise<AbsenceRecord | null> {
  const row = await ctx.db
    .selectFrom('absence')
    .select(['until', 'note'])
    .where('person_id', '=', personId)
    .where('until', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  return row ?? null
}
