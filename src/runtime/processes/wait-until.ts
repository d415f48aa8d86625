import { setTimeout as delay } from 'node:timers/promises'

/**
 * Ask again and again until the answer is neither `null` nor `undefined`, at most `timeoutMs`.
 * Answers `null` when the time is over.
 */
export async function waitUntil<T>(
  ask: () => Promise<T | null | undefined> | T | null | undefined,
  { timeoutMs, everyMs }: { timeoutMs: number; everyMs: number },
): Promise<T | null> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== undefined) return answer
    if (Date.now() >= deadline) return null
    await delay(everyMs)
  }
}
