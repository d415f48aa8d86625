import { nameForm } from '#domain/name-form.ts'
import type { SkipReason } from '#domain/runs/schedule.ts'
import { sql } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'

/** Notified when a time was recorded. */
export const scheduleChannel = 'countersign_schedule'

/** A time is missed when its run could not start within these milliseconds. */
export const missedAfterMs = 60_000

/** A time further away is invalid. */
const maxAwayMs = 400 * 86_400_000

/**
 * Records a time of a schedule that Temporal reports, once. It starts nothing: the API process
 * judges the time by the schedule in force and starts its run. If the clock of the database was
 * ahead, the time may have been recorded as missed before it came: it is then recorded anew.
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
      on conflict (schedule, at) do update set outcome = null
        where schedule_time.outcome = ${'missed' satisfies SkipReason}
          and schedule_time.at > clock_timestamp() - ${missedAfterMs} * interval '1 millisecond'
      returning at
    )
    select pg_notify(${scheduleChannel}, '') from recorded
  `.execute(ctx.db)
}
