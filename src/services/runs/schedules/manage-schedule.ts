import { Problem } from '#domain/problem.ts'
import type { Policy } from '#policy/policy.ts'
import type { ScheduleSetting } from '#policy/project-config.ts'
import type { Authority } from '../../core/authority.ts'
import type { Caller, ServiceContext, SigningContext } from '../../core/context.ts'
import { onceForKey } from '../../core/idempotency.ts'
import { lockRights } from '../../core/locks.ts'
import { inUnitOfWork, type JudgingContext } from '../../core/unit-of-work.ts'
import { byManagerOfStarts, changePause } from '../starting/pause-start.ts'
import type { StartedRun } from '../starting/record-run.ts'
import { describeSchedules, type ScheduleRecord } from './list-schedules.ts'
import { startOfSchedule, starterOfSchedule, worktreeOfSchedule } from './start-scheduled.ts'

/** A schedule by its name, and the caller's authority over it. */
interface ManagedSchedule {
  readonly policy: Policy
  readonly setting: ScheduleSetting
  readonly authority: Authority
}

/** The person whom `as` names and holders of `manageRuns` may manage a schedule. */
async function manage(ctx: ServiceContext, caller: Caller, name: string): Promise<ManagedSchedule> {
  const policy = await ctx.policies.inForce()
  const setting = policy.config.schedules.get(name)
  if (setting === undefined) throw new Problem('not_found', 'There is no such schedule')
  const authority = await byManagerOfStarts(ctx, caller, setting.as)
  return { policy, setting, authority }
}

/**
 * Pauses a schedule, or resumes it; repeating it changes nothing. The times of a pause are dropped.
 * Rejects with `not_found` or `forbidden`.
 */
export async function pauseSchedule(
  ctx: ServiceContext,
  caller: Caller,
  { name, paused }: { readonly name: string; readonly paused: boolean },
): Promise<ScheduleRecord> {
  const { setting, authority } = await manage(ctx, caller, name)
  await changePause(ctx, authority, { kind: 'schedule', name, paused })
  const [record] = await describeSchedules(ctx, caller, [setting])
  if (record === undefined) throw new Error('One setting makes one record')
  return record
}

/**
 * Starts a run of a schedule now, also of a paused one, as the person whom `as` names; the caller
 * is behind it too. Rejects as `startRun` does, and with `not_found` or `forbidden`.
 */
export async function triggerSchedule(
  ctx: SigningContext,
  caller: Caller,
  { name, idempotencyKey: key }: { readonly name: string; readonly idempotencyKey?: string },
): Promise<StartedRun> {
  const { policy, setting, authority } = await manage(ctx, caller, name)
  const starter = await starterOfSchedule(ctx, policy, setting)
  const worktree = await worktreeOfSchedule(ctx, policy, setting)
  const once = { caller, key, route: 'trigger-schedule', body: { name } }
  const { actor } = caller
  const by = actor.type === 'person' ? { id: actor.id, name: actor.name } : starter
  const judge = async ({ tx }: JudgingContext) => {
    // Before the unit locks the row of the person who acts: an activation locks in this order.
    await lockRights(tx, [...new Set([starter.id, by.id])])
    return { authority }
  }
  return inUnitOfWork(ctx, judge, (unit) =>
    onceForKey(unit.tx, once, () =>
      startOfSchedule(ctx, unit, caller, { policy, setting, starter, worktree, by }),
    ),
  )
}
