import { sql } from 'kysely'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import type { SkipReason } from '#domain/runs/schedule.ts'
import type { ScheduleSetting } from '#policy/project-config.ts'
import { cronTimes } from '#policy/schedules/cron.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import type { RecordOf, WithNulls } from '../../core/record-of.ts'
import { lastStarts } from '../reading/last-starts.ts'
import { managesStarts } from '../starting/pause-start.ts'
import { missedForMs } from './record-missed-times.ts'

/** The newest times that were missed, and how many there were. */
interface MissedTimes {
  readonly count: number
  /** newest first */
  readonly times: readonly Date[]
}

/** The largest number of missed times that are listed. */
const maxTimes = 20

export interface ScheduleRecord extends WithNulls<Omit<RecordOf<Schedule>, 'missed'>> {
  readonly missed: MissedTimes | null
}

/** The schedules of the version in force, by name, with the last run of each. */
export async function listSchedules(
  ctx: ServiceContext,
  caller: Caller,
): Promise<readonly ScheduleRecord[]> {
  const policy = await ctx.policies.inForce()
  return describeSchedules(ctx, caller, [...policy.config.schedules.values()])
}

/** The same for these schedules only. */
export async function describeSchedules(
  ctx: ServiceContext,
  caller: Caller,
  settings: readonly ScheduleSetting[],
): Promise<readonly ScheduleRecord[]> {
  if (settings.length === 0) return []
  const starts = await lastStarts(ctx, 'schedule', settings)
  const missed = await missedTimes(ctx, settings)
  const mayManage = await managesStarts(ctx, caller)
  return settings.map((setting) => {
    const { as = null, lastRun = null, paused = false } = starts.get(setting.name) ?? {}
    return {
      name: setting.name,
      worker: setting.worker,
      cron: setting.cron,
      timezone: setting.timezone,
      as,
      paused,
      nextAt: paused ? null : cronTimes(setting).next(new Date()),
      lastRun,
      missed: missed.get(setting.name) ?? null,
      mayManage: mayManage(as),
    }
  })
}

async function missedTimes(
  { db }: ServiceContext,
  settings: readonly ScheduleSetting[],
): Promise<ReadonlyMap<string, MissedTimes>> {
  const names = settings.map(({ name }) => name)
  const { rows } = await sql<{ schedule: string; count: number; times: Date[] }>`
    select schedule, count(*)::int as count, (array_agg(at order by at desc))[1:${maxTimes}] as times
    from schedule_time
    where schedule = any(${names}::text[]) and outcome = ${'missed' satisfies SkipReason}
      and at > ${new Date(Date.now() - missedForMs)}
    group by schedule
  `.execute(db)
  return new Map(rows.map(({ schedule, ...missed }) => [schedule, missed]))
}
