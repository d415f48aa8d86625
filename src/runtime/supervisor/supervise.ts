import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { removeIdentityFile, writeIdentityFile } from '../processes/identity-file.ts'
import { writeWhole } from '../processes/write-whole.ts'
import { nextBackOff, noFailures } from './back-off.ts'
import { ServiceRefused } from './running-service.ts'
import type { RunningService } from './running-service.ts'

export type ServiceName = 'postgres' | 'temporal' | 'api' | 'temporal-worker'

export type SupervisedService = {
  name: ServiceName
  /**
   * Start it, or start it again; answers when it serves. When `stop` aborts it gives up at once, ends what it had
   * started and rejects.
   */
  start(stop: AbortSignal): Promise<RunningService>
}

export type Supervised = {
  /** Stop it for good, also while it is being started again: takes no longer than the service's own grace. */
  stop(): Promise<void>
  /** Rejects when it refuses to be started again (`ServiceRefused`); never resolves otherwise. */
  refused: Promise<never>
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
): Promise<Supervised> {
  const files = processFiles(runDir, service.name)
  await mkdir(runDir, { recursive: true, mode: 0o700 })
  const stopping = new AbortController()
  const begin = async (): Promise<RunningService> => {
    const running = await service.start(stopping.signal)
    await writeIdentityFile(files.identity, running.identity)
    await writeWhole(files.pid, `${running.identity.pid}\n`, 0o644)
    return running
  }
  let current: RunningService | null = await begin()

  async function keepRunning(): Promise<void> {
    let backOff = noFailures
    while (!stopping.signal.aborted) {
      const startedAt = Date.now()
      const code = (await current?.exited) ?? null
      if (stopping.signal.aborted) return
      const refusal = current?.refusal?.() ?? null
      if (refusal !== null) throw new ServiceRefused(refusal)
      const { waitMs, after } = nextBackOff(backOff, Date.now() - startedAt)
      backOff = after
      const why = current === null ? 'could not be started' : `ended (code ${code})`
      log(`${service.name} ${why}: starting it again in ${waitMs / 1000} s`)
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
