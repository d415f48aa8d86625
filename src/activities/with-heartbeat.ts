import { Context } from '@temporalio/activity'
import type { StopReason } from '#services/core/worker-context.ts'

const heartbeatEveryMs = 2000

/**
 * Runs an activity with a heartbeat every two seconds, and gives it a signal that says why it
 * should stop. Temporal reports a cancellation in the answer to a heartbeat. An activity that ends
 * sooner sends none, because the server writes each to its disk.
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current()
  const stop = new AbortController()
  const forwardStop = (): void =>
    stop.abort(reasonOf(context.cancellationSignal) satisfies StopReason)
  if (context.cancellationSignal.aborted) forwardStop()
  else context.cancellationSignal.addEventListener('abort', forwardStop, { once: true })
  const heartbeat = setInterval(() => context.heartbeat(), heartbeatEveryMs)
  try {
    return await work(stop.signal)
  } finally {
    clearInterval(heartbeat)
    context.cancellationSignal.removeEventListener('abort', forwardStop)
  }
}

/** The SDK names the reason in the message of the failure in the signal. */
function reasonOf(signal: AbortSignal): StopReason {
  const message: unknown = signal.reason instanceof Error ? signal.reason.message : null
  if (message === 'WORKER_SHUTDOWN') return 'shutdown'
  return message === 'CANCELLED' ? 'cancelled' : 'timed_out'
}
