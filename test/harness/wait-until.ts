import { setTimeout as delay } from 'node:timers/promises'

/**
 * Repeats a condition until it is `true` (a string says what is missing), and fails with its last
 * answer after `withinMs`. Tests wait for conditions with this, never for a time. Only a test that
 * fails waits for long, so that most name no limit.
 *
 * @example await waitUntil(async () => (await runState()) === 'completed')
 */
export async function waitUntil(
  condition: () => Promise<boolean | string> | boolean | string,
  { withinMs = 90_000, everyMs = 25 }: { withinMs?: number; everyMs?: number } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await condition()
    if (answer === true) return
    if (performance.now() > deadline) {
      const missing = answer === false ? 'the condition did not hold' : answer
      throw new Error(`after ${withinMs} ms: ${missing}`)
    }
    await delay(everyMs)
  }
}
