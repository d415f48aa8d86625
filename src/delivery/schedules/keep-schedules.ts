import { hashJson } from '#domain/json/digest.ts'
import { errorText } from '#services/core/error-text.ts'
import type { SigningContext } from '#services/core/context.ts'
import { startDueTimes } from '#services/runs/schedules/start-scheduled.ts'
import type { NamespaceGuard } from '../namespace-guard.ts'
import { RepeatedWork } from '../repeating.ts'
import type { TemporalClient } from '../temporal-client.ts'
import { syncSchedules, type WantedSchedule } from './sync-schedules.ts'

const roundEveryMs = 2_000
/** Somebody may have changed them in Temporal itself. */
const compareEveryMs = 5 * 60_000

export interface SchedulesToKeep {
  readonly ctx: SigningContext
  readonly temporal: TemporalClient
  readonly guard: Pick<NamespaceGuard, 'confirm'>
  readonly taskQueue: string
}

/**
 * Starts the runs of the times that have come, and keeps Temporal's schedules what the version in
 * force and people's pauses make them: at the start of the process, and when either changes.
 */
export class ScheduleKeeper implements AsyncDisposable {
  readonly #options: SchedulesToKeep
  readonly #rounds: RepeatedWork
  #synced = { hash: '', at: 0 }

  constructor(options: SchedulesToKeep) {
    this.#options = options
    this.#rounds = new RepeatedWork({
      everyMs: roundEveryMs,
      work: () => this.#round(),
      onError: (error) => {
        options.ctx.log.warn({ error: errorText(error) }, 'schedules could not be kept')
      },
    })
  }

  async #round(): Promise<void> {
    const { ctx, temporal, guard, taskQueue } = this.#options
    await startDueTimes(ctx)
    const wanted = await this.#wanted()
    const hash = hashJson(
      wanted.map(({ setting: { name, cron, timezone, catchup }, paused }) => [
        name,
        cron,
        timezone,
        catchup,
        paused,
      ]),
    )
    const isDue = Date.now() - this.#synced.at > compareEveryMs
    if (hash === this.#synced.hash && !isDue) return
    await guard.confirm()
    await syncSchedules(temporal, taskQueue, wanted)
    this.#synced = { hash, at: Date.now() }
  }

  async #wanted(): Promise<readonly WantedSchedule[]> {
    const { ctx } = this.#options
    const { config } = await ctx.policies.inForce()
    const settings = [...config.schedules.values()]
    if (settings.length === 0) return []
    const rows = await ctx.db.selectFrom('schedule_pause').select('schedule').execute()
    const paused = new Set(rows.map(({ schedule }) => schedule))
    return settings.map((setting) => ({ setting, paused: paused.has(setting.name) }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rounds[Symbol.asyncDispose]()
  }
}
