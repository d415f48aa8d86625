import type { Selectable } from 'kysely'
import type { ScheduleSetting } from '#policy/project-config.ts'
import { cronTimes } from '#policy/schedules/cron.ts'
import { databaseTime } from '#store/database-time.ts'
import type { ScheduleWatchTable } from '#store/tables/schedules.ts'
import { bySchedule } from '../../core/authority.ts'
import type { SigningContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { pausedNames } from '../starting/pause-start.ts'

/** Temporal reports a time within a minute; after this long, nobody reports it any more. */
const reportedWithinMs = 120_000
/** Older times are not recorded. */
export const missedForMs = 7 * 86_400_000
/** Its watch is written at most this often. */
const advanceMs = 60_000

type Watch = Selectable<ScheduleWatchTable>

/**
 * Records the times of schedules that nobody reported, because Temporal or this service was away:
 * they are missed, and start nothing. With `catchup: one` the last time is left to Temporal, which
 * reports it later. Times of a pause are not missed. Repeating it records nothing twice.
 */
export async function recordMissedTimes(ctx: SigningContext): Promise<void> {
  const { config } = await ctx.policies.inForce()
  const names = [...config.schedules.keys()]
  const watches = await ctx.db.selectFrom('schedule_watch').selectAll().execute()
  const old = watches.map(({ schedule }) => schedule).filter((name) => !names.includes(name))
  if (old.length > 0) {
    await ctx.db.deleteFrom('schedule_watch').where('schedule', 'in', old).execute()
  }
  if (names.length === 0) return
  const pauses = await pausedNames(ctx.db, 'schedule')
  // A host whose clock is ahead would record times as missed that have not come.
  const now = await databaseTime(ctx.db)
  for (const setting of config.schedules.values()) {
    const paused = pauses.has(setting.name)
    const watch = watches.find(({ schedule }) => schedule === setting.name)
    await watchSchedule(ctx, { setting, paused, watch, now })
  }
}

async function watchSchedule(
  ctx: SigningContext,
  of: {
    readonly setting: ScheduleSetting
    readonly paused: boolean
    readonly watch: Watch | undefined
    readonly now: Date
  },
): Promise<void> {
  const { setting, paused, watch, now } = of
  const { name, cron, timezone } = setting
  const isSame = watch?.cron === cron && watch.timezone === timezone
  if (watch !== undefined && isSame && paused && watch.paused) return
  const goesOn = watch !== undefined && isSame && !paused && !watch.paused
  const checked = goesOn ? checkTimes(setting, watch.through, now) : null
  if (checked !== null && checked.missed.length > 0) await record(ctx, name, checked.missed)
  const through = checked?.through ?? now
  const isNear = goesOn && Math.abs(through.getTime() - watch.through.getTime()) < advanceMs
  if (isNear) return
  const row = { cron, timezone, paused, through }
  await ctx.db
    .insertInto('schedule_watch')
    .values({ schedule: name, ...row })
    .onConflict((conflict) => conflict.column('schedule').doUpdateSet(row))
    .execute()
}

/** The times after `through` that are missed, and up to when that is certain. */
function checkTimes(
  setting: ScheduleSetting,
  through: Date,
  now: Date,
): { readonly missed: readonly Date[]; readonly through: Date } {
  const until = new Date(now.getTime() - reportedWithinMs)
  // The clock of the database may have been set back.
  const begin = Math.min(through.getTime(), now.getTime())
  const from = new Date(Math.max(begin, now.getTime() - missedForMs))
  const times: Date[] = []
  const cron = cronTimes(setting)
  for (let at = cron.next(from); at !== null && at <= until; at = cron.next(at)) times.push(at)
  if (setting.catchup === 'none') return { missed: times, through: until > from ? until : from }
  const last = times.pop()
  return { missed: times, through: last === undefined ? from : (times.at(-1) ?? from) }
}

/** One event for all times that were missed together. */
async function record(ctx: SigningContext, schedule: string, times: readonly Date[]) {
  await inUnitOfWork(ctx, bySchedule(schedule), async (unit) => {
    const rows = await unit.tx
      .insertInto('schedule_time')
      .values(times.map((at) => ({ schedule, at, outcome: 'missed' })))
      .onConflict((conflict) => conflict.doNothing())
      .returning('at')
      .execute()
    const added = rows.map(({ at }) => at.toISOString()).toSorted()
    const [first] = added
    if (first === undefined) return
    const more = added.length === 1 ? {} : { count: added.length, lastAt: added.at(-1) ?? first }
    await unit.audit({
      type: 'schedule.skipped',
      detail: { schedule, at: first, why: 'missed', ...more },
    })
  })
}
