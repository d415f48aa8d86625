import { hashJson } from '#domain/json/digest.ts'
import type { SigningContext } from '#services/core/context.ts'
import { recordMissedTimes } from '#services/runs/schedules/record-missed-times.ts'
import { scheduleChannel } from '#services/runs/schedules/record-scheduled-time.ts'
import { startDueTimes } from '#services/runs/schedules/start-scheduled.ts'
import { pausedNames } from '#services/runs/starting/pause-start.ts'
import { auditChannel } from '#store/audit/audit.ts'
import { Listener } from '../listener.ts'
import type { NamespaceGuard } from '../namespace-guard.ts'
import { RepeatedWork, warnWith } from '../repeated-work.ts'
import type { TemporalClient } from '../temporal-client.ts'
import { syncSchedules, type WantedSchedule } from './sync-schedules.ts'

/** Notifications within this time are one round. */
const gatherMs = 1000
/** Notifications wake it: a round without one finds what a lost connection had missed. */
const fallBack = { connected: 60_000, lost: 2000 }
/** After a round that failed. */
const againAfterMs = 2000
/** Somebody may have changed them in Temporal itself. */
const compareEveryMs = 5 * 60_000

export interface SchedulesToKeep {
  readonly ctx: SigningContext
  readonly temporal: TemporalClient
  readonly guard: Pick<NamespaceGuard, 'confirm'>
  readonly taskQueue: string
  readonly databaseUrl: string
  /** the pause without a notification; a minute */
  readonly restMs?: number
}

/**
 * Starts the runs whose times have come, records the times that were missed, and synchronises
 * Temporal's schedules with the version in force and people's pauses: at the start of the process,
 * and when either changes. Times are recorded with a notification; versions and pauses are events
 * of the trail.
 */
export class ScheduleKeeper implements AsyncDisposable {
  readonly #options: SchedulesToKeep
  readonly #rounds: RepeatedWork
  readonly #listener: Listener
  #synced = { hash: '', at: 0 }
  #hasFailed = false

  constructor(options: SchedulesToKeep) {
    this.#options = options
    const rest = { ...fallBack, connected: options.restMs ?? fallBack.connected }
    this.#rounds = new RepeatedWork({
      everyMs: () => (this.#hasFailed ? againAfterMs : this.#listener.restMs(rest)),
      gatherMs,
      work: async () => {
        this.#hasFailed = true
        await this.#round()
        this.#hasFailed = false
      },
      onError: warnWith(options.ctx.log, 'a round of schedules failed; it is repeated'),
    })
    this.#listener = new Listener({
      url: options.databaseUrl,
      channels: [scheduleChannel, auditChannel],
      onNotification: () => this.#rounds.wake(),
    })
  }

  async #round(): Promise<void> {
    const { ctx, temporal, guard, taskQueue } = this.#options
    const nextInMs = await startDueTimes(ctx)
    if (nextInMs !== null) this.#rounds.wakeWithin(nextInMs)
    await recordMissedTimes(ctx)
    const schedules = await this.#wanted()
    const hash = hashJson(
      schedules.map(({ setting: { name, cron, timezone, catchup }, paused }) => [
        name,
        cron,
        timezone,
        catchup,
        paused,
      ]),
    )
    const isDue = performance.now() - this.#synced.at > compareEveryMs
    if (hash === this.#synced.hash && !isDue) return
    await guard.confirm()
    await syncSchedules(temporal, taskQueue, schedules)
    this.#synced = { hash, at: performance.now() }
  }

  async #wanted(): Promise<readonly WantedSchedule[]> {
    const { ctx } = this.#options
    const { config } = await ctx.policies.inForce()
    const settings = [...config.schedules.values()]
    if (settings.length === 0) return []
    const paused = await pausedNames(ctx.db, 'schedule')
    return settings.map((setting) => ({ setting, paused: paused.has(setting.name) }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]()
    await this.#rounds[Symbol.asyncDispose]()
  }
}
