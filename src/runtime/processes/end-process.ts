import { errorCode } from '#domain/error-code.ts'
import { isStillRunning } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { waitUntil } from './wait-until.ts'

/**
 * Ends exactly this process: sends the signal first, and SIGKILL if it still runs after `graceMs`.
 * Resolves once it has ended. Does nothing if it has ended, even if another process has its id now.
 */
export async function endProcess(
  identity: ProcessIdentity,
  { signal, graceMs }: { signal: NodeJS.Signals; graceMs: number },
): Promise<void> {
  if (!sendSignal(identity, signal)) return
  const hasEnded = () => (isStillRunning(identity) ? null : true)
  if (
    signal !== 'SIGKILL' &&
    (await waitUntil(hasEnded, { timeoutMs: graceMs, everyMs: 50 })) === true
  )
    return
  if (!sendSignal(identity, 'SIGKILL')) return
  if ((await waitUntil(hasEnded, { timeoutMs: 10_000, everyMs: 20 })) === null) {
    throw new Error(`process ${identity.pid} does not end, not even when killed`)
  }
}

/** Sends a signal to exactly this process; `false` when it has ended. */
export function sendSignal(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isStillRunning(identity)) return false
  try {
    process.kill(identity.pid, signal)
    return true
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false
    throw error
  }
}
