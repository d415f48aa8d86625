import { sql } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'

/** Notified when a time was noted. */
export const scheduleChannel = 'countersign_schedule'

/** As countersign.yaml has names. */
const nameForm = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
/** A time that is further away is nobody's. */
const mostAwayMs = 400 * 86_400_000

/**
 * Notes a time that Temporal says has come: once, however often it says so. Nothing starts here;
 * the API process judges the time by the schedule in force and starts its run.
 */
export async function noteScheduledTime(
  ctx: Pick<ServiceContext, 'db'>,
  { schedule, at }: { readonly schedule: string; readonly at: string },
): Promise<void> {
  const time = Date.parse(at)
  if (!nameForm.test(schedule) || !(Math.abs(time - Date.now()) < mostAwayMs)) return
  await sql`
    with noted as (
      insert into schedule_time (schedule, at)
      values (${schedule}, date_trunc('minute', ${new Date(time)}::timestamptz))
      on conflict do nothing returning at
    )
    select pg_notify(${scheduleChannel}, '') from noted
  `.execute(ctx.db)
}
