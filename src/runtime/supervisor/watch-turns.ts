/** How often the reports of the process are checked. */
const checkIntervalMs = 1_000

/** Watches one process by the reports of its event loop. */
export interface TurnWatch extends Disposable {
  /** Called for each report. */
  recordTurn(): void
  /** true once the process was found to be blocked */
  readonly isWedged: boolean
}

/**
 * Calls `onWedged` once when a process has not reported for `silentMs` that its event loop runs: it
 * is blocked or stopped, and would stay so (security.md 27). Counted in checks, so that no process
 * is killed because the machine slept.
 */
export function watchTurns(options: {
  readonly silentMs: number
  readonly onWedged: () => void
}): TurnWatch {
  let silentMs = 0
  let isWedged = false
  const timer = setInterval(() => {
    silentMs += checkIntervalMs
    if (isWedged || silentMs < options.silentMs) return
    isWedged = true
    options.onWedged()
  }, checkIntervalMs)
  timer.unref()
  return {
    recordTurn: () => {
      silentMs = 0
    },
    get isWedged() {
      return isWedged
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
