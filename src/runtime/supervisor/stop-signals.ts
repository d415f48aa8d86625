const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A terminal's Ctrl-C may arrive twice: from the terminal and through the launcher. */
const SAME_PRESS_MS = 1_000

/**
 * Resolves with the first signal that asks this process to end. A second one, later, ends it at
 * once: what it started notices by its lifeline.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | null = null
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (firstAt === null) {
          firstAt = Date.now()
          resolve(signal)
        } else if (Date.now() - firstAt > SAME_PRESS_MS) process.exit(130)
      })
    }
  })
}
