import { setTimeout as delay } from 'node:timers/promises'

const timeoutMs = 60_000
const everyMs = 500

/**
 * Repeats a transaction for up to a minute while the database is unreachable, so that an effect, or
 * its end, is not lost. Rejects with the last failure. A transaction whose answer was lost may be
 * committed twice, so `store` must be safe to repeat.
 */
export async function untilStored<T>(store: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      return await store()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await delay(everyMs)
    }
  }
}
