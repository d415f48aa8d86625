import { setTimeout as delay } from 'node:timers/promises'

/**
 * Calls again and again until the answer is neither `null` nor `undefined`, at most `timeoutMs`.
 * Returns `null` when the time is over; it does not depend on the system clock.
 */
export async function waitUntil<T>(
  ask: () => Promise<T | null | undefined> | T | null | undefined,
  { timeoutMs, everyMs }: { timeoutMs: number; everyMs: number },
): Promise<T | null> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== undefined) return answer
    if (performance.now() >= deadline) return null
    await delay(everyMs)
  }
}
