import { sql } from 'kysely'
import type { RunState } from '#domain/requests/request.ts'
import type { ScheduleSetting } from '#policy/project-config.ts'
import { cronTimes } from '#policy/schedules/cron.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { rightsOf } from '../../core/rights-of.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'

export interface ScheduleRecord {
  readonly name: string
  readonly worker: string
  readonly cron: string
  readonly timezone: string
  /** `null`: nobody with the address is known */
  readonly as: PersonRef | null
  readonly paused: boolean
  /** `null` while it is paused */
  readonly nextAt: Date | null
  readonly lastRun: ScheduledRun | null
  /** whether the caller may pause, resume and trigger it */
  readonly mayManage: boolean
}

export interface ScheduledRun {
  readonly runId: string
  readonly number: number
  readonly state: RunState
  readonly at: Date
}

interface ScheduleRow {
  readonly name: string
  readonly as: PersonRef | null
  readonly paused: boolean
  readonly last: (Omit<ScheduledRun, 'at'> & { readonly at: string }) | null
}

/** The schedules of the version in force, by name, with the last run of each, in one query. */
export async function listSchedules(
  ctx: ServiceContext,
  caller: Caller,
): Promise<readonly ScheduleRecord[]> {
  const policy = await ctx.policies.inForce()
  return describe(ctx, caller, [...policy.config.schedules.values()])
}

/** Of these alone. */
export async function describe(
  ctx: ServiceContext,
  { actor }: Caller,
  settings: readonly ScheduleSetting[],
): Promise<readonly ScheduleRecord[]> {
  if (settings.length === 0) return []
  const names = settings.map(({ name }) => name)
  const { rows } = await sql<ScheduleRow>`
    select given.name,
      (select json_build_object('id', id, 'name', name) from person where email = given.email) as "as",
      exists (select from schedule_pause where schedule = given.name) as paused,
      (select json_build_object('runId', id, 'number', number, 'state', state, 'at', created_at)
        from run where started_from = 'schedule:' || given.name
        order by created_at desc limit 1) as last
    from unnest(${names}::text[], ${settings.map(({ as }) => as)}::text[]) as given(name, email)
  `.execute(ctx.db)
  const found = new Map(rows.map((row) => [row.name, row]))
  const isPerson = actor.type === 'person'
  const manages = isPerson && (await rightsOf(ctx, actor.id)).has('manageRuns')
  return settings.map((setting) => {
    const row = found.get(setting.name)
    const as = row?.as ?? null
    const paused = row?.paused === true
    return {
      name: setting.name,
      worker: setting.worker,
      cron: setting.cron,
      timezone: setting.timezone,
      as,
      paused,
      nextAt: paused ? null : cronTimes(setting).next(new Date()),
      lastRun: row?.last ? { ...row.last, at: new Date(row.last.at) } : null,
      mayManage: isPerson && (manages || as?.id === actor.id),
    }
  })
}
