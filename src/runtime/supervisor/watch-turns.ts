/** How often it is looked whether the process said that its loop turns. */
const checkIntervalMs = 1_000

/** Watches one process by what it says of its loop. */
export interface TurnWatch extends Disposable {
  /** It said so. */
  turned(): void
  /** true from the moment when it was found to be wedged */
  readonly wedged: boolean
}

/**
 * Calls `wedged` once when a process has not said for `silentMs` that its event loop turns: it is
 * blocked, or stopped, and would stay so (security.md 27). Counted in looks of our own, so that a
 * machine that slept kills nothing.
 */
export function watchTurns(options: {
  readonly silentMs: number
  readonly wedged: () => void
}): TurnWatch {
  let silentMs = 0
  let isWedged = false
  const timer = setInterval(() => {
    silentMs += checkIntervalMs
    if (isWedged || silentMs < options.silentMs) return
    isWedged = true
    options.wedged()
  }, checkIntervalMs)
  timer.unref()
  return {
    turned: () => {
      silentMs = 0
    },
    get wedged() {
      return isWedged
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
