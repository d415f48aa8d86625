import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '#domain/error-message.ts'
import {
  removeIdentityFile,
  writeIdentityFile,
  type ProcessIdentity,
} from '../processes/process-identity.ts'
import { writeWhole } from '../files.ts'

/** In the order in which they are stopped: each needs the later ones until it has ended. */
export const serviceNames = ['api', 'temporal-worker', 'temporal', 'postgres'] as const
export type ServiceName = (typeof serviceNames)[number]

export interface SupervisedService {
  readonly name: ServiceName
  /**
   * Starts or restarts it; resolves when it serves. When `stop` aborts it ends everything it
   * started and rejects.
   */
  start(stop: AbortSignal): Promise<RunningService>
}

export interface SuperviseOptions {
  readonly runDir: string
  readonly log: (sentence: string) => void
  /** Ends the first start, before there is a handle. */
  readonly stop?: AbortSignal
}

export interface SupervisionHandle {
  /** Stops it for good, also during a restart, within the service's own grace time. */
  stop(): Promise<void>
  /** Rejects when it refuses a restart (`ServiceRefused`); never resolves otherwise. */
  readonly refusal: Promise<never>
}

/**
 * Keeps a service running: starts it, records its process in `RUN/<name>.pid`, and restarts it
 * after a growing pause whenever it ends by itself. Throws when the first start fails.
 */
export async function supervise(
  service: SupervisedService,
  { runDir, log, stop }: SuperviseOptions,
): Promise<SupervisionHandle> {
  const files = processFiles(runDir, service.name)
  await mkdir(runDir, { recursive: true, mode: 0o700 })
  const stopping = new AbortController()
  stop?.addEventListener('abort', () => stopping.abort(), { once: true })
  if (stop?.aborted === true) stopping.abort()
  const begin = async (): Promise<RunningService> => {
    stopping.signal.throwIfAborted()
    const running = await service.start(stopping.signal)
    try {
      await writeIdentityFile(files.identity, running.identity)
      await writeWhole(files.pid, `${running.identity.pid}\n`, 0o644)
      return running
    } catch (error) {
      // Without a record nobody would end the process, which holds the port of the next one.
      await running.stop()
      throw error
    }
  }
  let current: RunningService | null = await begin()

  async function keepRunning(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      const code = (await current?.exited) ?? null
      if (stopping.signal.aborted) return
      const refusal = current?.refusal?.() ?? null
      if (refusal !== null) throw new ServiceRefused(refusal)
      const restart = nextRestart(failures, performance.now() - startedAt)
      const { waitMs } = restart
      failures = restart.failures
      const why =
        current === null
          ? 'could not be started'
          : current.isWedged?.() === true
            ? 'did not answer any more and was killed'
            : `ended (code ${code})`
      log(
        `${service.name} ${why}: starting it again${waitMs === 0 ? '' : ` in ${waitMs / 1000} s`}`,
      )
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
      current = await begin().catch((error: unknown) => {
        if (stopping.signal.aborted) return null
        if (error instanceof ServiceRefused) throw error
        log(errorMessage(error))
        return null
      })
      if (current !== null) log(`${service.name} runs again (process ${current.identity.pid})`)
    }
  }

  const keeping = keepRunning()
  const refusal = new Promise<never>((_, reject) => {
    keeping.catch(reject)
  })
  refusal.catch(() => undefined)
  return {
    refusal,
    stop: async () => {
      stopping.abort()
      await current?.stop()
      await keeping.catch(() => undefined)
      // A restart that was in progress has ended by now.
      await current?.stop()
      await rm(files.pid, { force: true })
      await removeIdentityFile(files.identity)
    },
  }
}

/** Stops a service whose start may be under way. After a failed start, nothing is left to stop. */
export async function stopService(starting: Promise<SupervisionHandle>): Promise<void> {
  const service = await starting.catch(() => null)
  await service?.stop()
}

/** The files with a service's process: for programs, and for the next start. */
export function processFiles(runDir: string, name: string): { pid: string; identity: string } {
  return { pid: join(runDir, `${name}.pid`), identity: join(runDir, `${name}.identity`) }
}

/** There is no pause after the first failure: one restart is usually enough. */
const secondPauseMs = 200
const maxPauseMs = 10_000
/** A service that ran this long had recovered: the next failure counts as the first. */
const healthyAfterMs = 10_000

/**
 * The pause before the next start of a process that served `servedMs` and ended, after `before`
 * failures in a row; none at first, then twice as much each time, up to ten seconds.
 */
export function nextRestart(
  before: number,
  servedMs: number,
): { readonly waitMs: number; readonly failures: number } {
  const failures = servedMs >= healthyAfterMs ? 0 : before
  return {
    waitMs: failures === 0 ? 0 : Math.min(secondPauseMs * 2 ** (failures - 1), maxPauseMs),
    failures: failures + 1,
  }
}

/** A supervised server process. */
export interface RunningService {
  readonly identity: ProcessIdentity
  /** Resolves with the exit code when it has ended, for any reason. */
  readonly exited: Promise<number>
  /** The sentence with which it refused to continue serving; `null`: it did not. */
  readonly refusal?: () => string | null
  /** It was killed because its event loop was blocked. */
  readonly isWedged?: () => boolean
  /** Asks it to end, waits, and kills it when it does not. */
  stop(): Promise<void>
}

/** A process that refuses to serve, with its sentence: a restart would not help. */
export class ServiceRefused extends Error {
  override name = 'ServiceRefused'
}
