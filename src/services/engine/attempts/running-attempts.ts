/** An attempt that this process carries out. */
export interface RunningAttempt {
  readonly attempt: number
  /** asks the tool to end; its process group is terminated, then killed */
  end(): void
  /** resolves when its end is stored, or it was undone; never rejects */
  readonly ended: Promise<void>
}

/** By call id: what this process carries out. No other process can tell whether it still runs. */
const running = new Map<string, readonly RunningAttempt[]>()

/**
 * Registers that this process carries a call out while `work` runs. `work` gets the signal that the
 * next attempt is about to begin.
 */
export async function whileRunning<T>(
  callId: string,
  attempt: number,
  work: (again: AbortSignal) => Promise<T>,
): Promise<T> {
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const again = new AbortController()
  const entry: RunningAttempt = { attempt, end: () => again.abort(), ended: end }
  running.set(callId, [...runningHere(callId), entry])
  try {
    return await work(again.signal)
  } finally {
    const remaining = runningHere(callId).filter((other) => other !== entry)
    if (remaining.length === 0) running.delete(callId)
    else running.set(callId, remaining)
    resolve()
  }
}

/** The attempts at a call that this process carries out now. */
export function runningHere(callId: string): readonly RunningAttempt[] {
  return running.get(callId) ?? []
}
