import type { LaunchedServer } from '../processes/launch-server.ts'
import { waitUntil } from '../processes/wait-until.ts'

const timeoutMs = 60_000

/**
 * Waits until a server that was just launched answers, a minute at most. `null` when it does; else
 * why it does not.
 */
export async function waitUntilStarted(
  server: LaunchedServer,
  answers: () => Promise<boolean>,
  { everyMs, stop }: { readonly everyMs: number; readonly stop: AbortSignal | undefined },
): Promise<string | null> {
  let exitCode: number | null = null
  void server.exited.then((code) => (exitCode = code))
  const outcome = await waitUntil(
    async () => {
      if (stop?.aborted === true) return { failure: 'it was stopped while it started' }
      if (exitCode !== null) return { failure: `it ended with code ${exitCode}` }
      return (await answers()) ? { failure: null } : null
    },
    { timeoutMs, everyMs },
  )
  return outcome === null ? `it did not answer within ${timeoutMs / 1000} s` : outcome.failure
}
