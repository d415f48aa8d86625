import { nameForm } from '#domain/name-form.ts'
import { sql } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'

/** Notified when a time was recorded. */
export const scheduleChannel = 'countersign_schedule'

/** A time further away is invalid. */
const maxAwayMs = 400 * 86_400_000

/**
 * Records a time of a schedule that Temporal reports, once. It starts nothing: the API process
 * judges the time by the schedule in force and starts its run.
 */
export async function recordScheduledTime(
  ctx: Pick<ServiceContext, 'db'>,
  { schedule, at }: { readonly schedule: string; readonly at: string },
): Promise<void> {
  const time = Date.parse(at)
  if (!nameForm.test(schedule) || !(Math.abs(time - Date.now()) < maxAwayMs)) return
  await sql`
    with recorded as (
      insert into schedule_time (schedule, at)
      values (${schedule}, date_trunc('minute', ${new Date(time)}::timestamptz))
      on conflict do nothing returning at
    )
    select pg_notify(${scheduleChannel}, '') from recorded
  `.execute(ctx.db)
}
