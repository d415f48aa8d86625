import { setTimeout as delay } from 'node:timers/promises'

const timeoutMs = 60_000
const everyMs = 500

/**
 * Repeats a write for up to a minute while it fails, as when the database is unreachable or the
 * disk is full, so that an effect, or its end, is not lost. Rejects with the last failure, at once
 * when `stop` aborts. A transaction whose answer was lost may be committed twice, so `store` must
 * be safe to repeat.
 */
export async function untilStored<T>(store: () => Promise<T>, stop?: AbortSignal): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      return await store()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await delay(everyMs, null, stop === undefined ? {} : { signal: stop }).catch(() => undefined)
      if (stop?.aborted === true) throw error
    }
  }
}
