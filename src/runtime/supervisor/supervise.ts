import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  removeIdentityFile,
  writeIdentityFile,
  type ProcessIdentity,
} from '../processes/process-identity.ts'
import { writeWhole } from '../files.ts'

/**
 * In the order in which they are ended: nobody loses what it still needs to store its last words.
 */
export const serviceNames = ['api', 'temporal-worker', 'temporal', 'postgres'] as const
export type ServiceName = (typeof serviceNames)[number]

export interface SupervisedService {
  readonly name: ServiceName
  /**
   * Start it, or start it again; answers when it serves. When `stop` aborts it gives up at once,
   * ends what it had started and rejects.
   */
  start(stop: AbortSignal): Promise<RunningService>
}

export interface SupervisionHandle {
  /**
   * Stop it for good, also while it is being started again: takes no longer than the service's own
   * grace.
   */
  stop(): Promise<void>
  /** Rejects when it refuses to be started again (`ServiceRefused`); never resolves otherwise. */
  readonly refused: Promise<never>
}

/**
 * Keep a service running: start it, name its process in `RUN/<name>.pid`, and start it again, after
 * a growing pause, whenever it ends by itself.
 *
 * Throws when the first start fails.
 */
export async function supervise(
  service: SupervisedService,
  { runDir, log }: { runDir: string; log: (sentence: string) => void },
): Promise<SupervisionHandle> {
  const files = processFiles(runDir, service.name)
  await mkdir(runDir, { recursive: true, mode: 0o700 })
  const stopping = new AbortController()
  const begin = async (): Promise<RunningService> => {
    const running = await service.start(stopping.signal)
    try {
      await writeIdentityFile(files.identity, running.identity)
      await writeWhole(files.pid, `${running.identity.pid}\n`, 0o644)
      return running
    } catch (error) {
      // Nobody would ever end a process that no file names, and it holds the port of the next one.
      await running.stop()
      throw error
    }
  }
  let current: RunningService | null = await begin()

  async function keepRunning(): Promise<void> {
    let backOff = noFailures
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      const code = (await current?.exited) ?? null
      if (stopping.signal.aborted) return
      const refusal = current?.refusal?.() ?? null
      if (refusal !== null) throw new ServiceRefused(refusal)
      const { waitMs, after } = nextBackOff(backOff, performance.now() - startedAt)
      backOff = after
      const why =
        current === null
          ? 'could not be started'
          : current.wedged?.() === true
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
        log(error instanceof Error ? error.message : String(error))
        return null
      })
      if (current !== null) log(`${service.name} runs again (process ${current.identity.pid})`)
    }
  }

  const keeping = keepRunning()
  const refused = new Promise<never>((_, reject) => {
    keeping.catch(reject)
  })
  refused.catch(() => undefined)
  return {
    refused,
    stop: async () => {
      stopping.abort()
      await current?.stop()
      await keeping.catch(() => undefined)
      // A start that was under way when we were told to stop has come to its end by now.
      await current?.stop()
      await rm(files.pid, { force: true })
      await removeIdentityFile(files.identity)
    },
  }
}

/** Where a service's process is named: for programs, and for the next start to recognise. */
export function processFiles(runDir: string, name: string): { pid: string; identity: string } {
  return { pid: join(runDir, `${name}.pid`), identity: join(runDir, `${name}.identity`) }
}

/** After the first failure there is no pause: most that die once run again. */
const secondPauseMs = 200
const maxPauseMs = 10_000
/** Somebody that served this long had recovered: the next failure starts from the beginning. */
const healthyAfterMs = 10_000

export interface BackOff {
  readonly failures: number
}

export const noFailures: BackOff = { failures: 0 }

/**
 * What to wait before the next start of a process that served `servedMs` and ended; nothing at
 * first, then twice as much each time, up to ten seconds.
 */
export function nextBackOff(before: BackOff, servedMs: number): { waitMs: number; after: BackOff } {
  const failures = servedMs >= healthyAfterMs ? 0 : before.failures
  return {
    waitMs: failures === 0 ? 0 : Math.min(secondPauseMs * 2 ** (failures - 1), maxPauseMs),
    after: { failures: failures + 1 },
  }
}

/** A server process that somebody watches. */
export interface RunningService {
  readonly identity: ProcessIdentity
  /** Resolves with the exit code when it has ended, for whatever reason. */
  readonly exited: Promise<number>
  /** The sentence with which it refused to serve any longer; `null` when it did not. */
  readonly refusal?: () => string | null
  /** It was killed because its event loop did not turn. */
  readonly wedged?: () => boolean
  /** Ask it to end, wait, kill it when it does not. */
  stop(): Promise<void>
}

/** A process that refuses to serve, with its sentence: starting it again would not help. */
export class ServiceRefused extends Error {
  override name = 'ServiceRefused'
}
