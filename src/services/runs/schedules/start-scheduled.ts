import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { Problem } from '#domain/problem.ts'
import { workspacesOf } from '#policy/workspaces.ts'
import type { SkipReason } from '#domain/runs/schedule.ts'
import type { Policy } from '#policy/policy.ts'
import type { ScheduleSetting } from '#policy/project-config.ts'
import { cronTimes } from '#policy/schedules/cron.ts'
import { databaseTime } from '#store/database-time.ts'
import { bySchedule } from '../../core/authority.ts'
import type { Caller, SigningContext } from '../../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import { pausedNames } from '../starting/pause-start.ts'
import { personOfEmail } from '../starting/person-of-email.ts'
import { worktreeStart, type WorktreeStart } from '../starting/worktree-start.ts'
import { newRunOf, recordRun, type StartedRun } from '../starting/record-run.ts'
import { requireInputFits, starterOf, taskMessage } from '../starting/start-run.ts'
import { requireWorker } from '../../core/require-worker.ts'
import { missedAfterMs } from './record-scheduled-time.ts'

/** The clock of Temporal may be ahead by as much. A time that is reported earlier is invalid. */
const maxEarlyMs = 15 * 60_000
const maxAtOnce = 100

/**
 * Starts the runs of all recorded times that have come by the clock of the database, each once,
 * even with several processes. Returns in how many milliseconds the next recorded one comes;
 * `null`: none waits.
 */
export async function startDueTimes(ctx: SigningContext): Promise<number | null> {
  const due = await ctx.db
    .selectFrom('schedule_time')
    .select(['schedule', 'at'])
    .where('outcome', 'is', null)
    .orderBy('at')
    .limit(maxAtOnce)
    .execute()
  if (due.length === 0) return null
  const now = await databaseTime(ctx.db)
  for (const time of due) {
    const inMs = time.at.getTime() - now.getTime()
    // Later ones wait too.
    if (inMs > missedAfterMs && inMs <= maxEarlyMs) return inMs
    await startDue(ctx, time)
  }
  return null
}

interface DueTime {
  readonly schedule: string
  readonly at: Date
}

async function startDue(ctx: SigningContext, time: DueTime): Promise<void> {
  const policy = await ctx.policies.inForce()
  const setting = policy.config.schedules.get(time.schedule)
  const authority = bySchedule(time.schedule)
  const why = await skipReason(ctx, setting, time.at)
  if (setting === undefined || why !== null) return skip(ctx, time, why ?? 'not_scheduled')
  try {
    const starter = await starterOfSchedule(ctx, policy, setting)
    const worktree = await worktreeOfSchedule(ctx, policy, setting)
    await inUnitOfWork(ctx, authority, async (unit) => {
      if (!(await isOpen(unit, time))) return
      // Asking the host for the worktree may take seconds: somebody may have paused it meanwhile.
      if ((await pausedNames(unit.tx, 'schedule')).has(setting.name))
        return skipLocked(unit, time, 'paused')
      const id = await ctx.ledger.first({ kind: 'schedule', id: ledgerIdOf(time) }, uuidv7())
      if (await isRecorded(unit, id)) return skipLocked(unit, time, 'started_before')
      const start = { id, policy, setting, starter, worktree }
      await startOfSchedule(ctx, unit, authority, start)
      await settle(unit, time, 'started', id)
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // Another policy version took force: the next round judges the time by that version.
    if (error.code === 'conflict') return
    await skip(ctx, time, error.code)
  }
}

/** Why a time starts nothing; `null`: it does. A forged time does not fit the schedule. */
async function skipReason(
  { db }: SigningContext,
  setting: ScheduleSetting | undefined,
  at: Date,
): Promise<SkipReason | null> {
  if (setting === undefined) return 'not_scheduled'
  const times = cronTimes(setting)
  const now = await databaseTime(db)
  const lateMs = now.getTime() - at.getTime()
  if (!times.has(at) || lateMs < -missedAfterMs) return 'not_scheduled'
  if ((await pausedNames(db, 'schedule')).has(setting.name)) return 'paused'
  const isLate = lateMs > missedAfterMs
  if (setting.catchup === 'none') return isLate ? 'missed' : null
  const next = times.next(at)
  return next !== null && next <= now ? 'missed' : null
}

async function skip(
  ctx: SigningContext,
  time: DueTime,
  why: SkipReason | Problem['code'],
): Promise<void> {
  await inUnitOfWork(ctx, bySchedule(time.schedule), async (unit) => {
    if (await isOpen(unit, time)) await skipLocked(unit, time, why)
  })
}

async function skipLocked(
  unit: UnitOfWork,
  time: DueTime,
  why: SkipReason | Problem['code'],
): Promise<void> {
  await settle(unit, time, why, null)
  const detail = { schedule: time.schedule, at: time.at.toISOString(), why }
  await unit.audit({ type: 'schedule.skipped', detail })
}

/**
 * The id of a scheduled time in the ledger. The ledger records the id of its run before the run is
 * stored. If SQL resets the row of the time, no second run starts; after a crash, the same run is
 * stored.
 */
function ledgerIdOf({ schedule, at }: DueTime): string {
  const random = createHash('sha256').update(schedule).digest()
  return uuidv7({ msecs: at.getTime(), seq: random.readUInt32BE(), random })
}

async function isRecorded({ tx }: UnitOfWork, runId: string): Promise<boolean> {
  const run = await tx.selectFrom('run').select('id').where('id', '=', runId).executeTakeFirst()
  return run !== undefined
}

/** Whether the time is still open. Locks it. */
async function isOpen({ tx }: UnitOfWork, { schedule, at }: DueTime): Promise<boolean> {
  const row = await tx
    .selectFrom('schedule_time')
    .select('outcome')
    .where('schedule', '=', schedule)
    .where('at', '=', at)
    .forUpdate()
    .executeTakeFirst()
  return row?.outcome === null
}

async function settle(
  { tx }: UnitOfWork,
  { schedule, at }: DueTime,
  outcome: string,
  runId: string | null,
): Promise<void> {
  await tx
    .updateTable('schedule_time')
    .set({ outcome, run_id: runId })
    .where('schedule', '=', schedule)
    .where('at', '=', at)
    .execute()
}

/** The person whom `as` names, if they may start the worker now. Rejects with `forbidden`. */
export async function starterOfSchedule(
  ctx: SigningContext,
  policy: Policy,
  { worker: name, as }: ScheduleSetting,
): Promise<PersonRef> {
  return starterOf(ctx, requireWorker(policy, name), await personOfEmail(ctx, as))
}

/** Where the worktree of a schedule's run begins, by `worktreeStart`. */
export async function worktreeOfSchedule(
  ctx: SigningContext,
  policy: Policy,
  setting: ScheduleSetting,
): Promise<WorktreeStart | null> {
  const worker = policy.workers.get(setting.worker)
  return worker === undefined ? null : worktreeStart(ctx, policy, workspacesOf(worker)[0])
}

/**
 * Records a run of a schedule for the person whom `as` names, the author of its task. `by`: who
 * started it before its time, and is behind it too.
 */
export async function startOfSchedule(
  ctx: SigningContext,
  unit: UnitOfWork,
  caller: Caller,
  start: {
    readonly policy: Policy
    readonly setting: ScheduleSetting
    readonly starter: PersonRef
    readonly worktree: WorktreeStart | null
    readonly by?: PersonRef
    /** absent: a new one */
    readonly id?: string
  },
): Promise<StartedRun> {
  const { policy, setting, starter, worktree, by, id } = start
  const worker = requireWorker(policy, setting.worker)
  const task = taskMessage(setting.input)
  requireInputFits(worker, setting.input)
  const others = by === undefined || by.id === starter.id ? [] : [by.id]
  const [workspace] = workspacesOf(worker)
  return recordRun(ctx, unit, caller, {
    ...(id === undefined ? {} : { id }),
    input: setting.input,
    text: task,
    attachments: [],
    mode: 'prompt',
    ...newRunOf(ctx, policy, worker, workspace),
    worktree,
    starter,
    principals: [
      { personId: starter.id, why: 'started' },
      ...others.map((personId) => ({ personId, why: 'triggered' as const })),
    ],
    startedFrom: `schedule:${setting.name}`,
    ...(others.length === 0 ? {} : { behind: others }),
    author: { type: 'person', ...starter },
    isConversation: setting.conversation,
    budget: null,
  })
}
