const stopSignals = ['SIGINT', 'SIGTERM'] as const
/** A terminal's Ctrl-C may arrive twice: from the terminal and through the launcher. */
const samePressMs = 1_000

/**
 * Resolves with the first signal that asks this process to end. A second one, later, ends it at
 * once: what it started notices by its lifeline. SIGHUP asks for the end when it comes from a
 * terminal that closes; without one it is for `onReload`, or for nobody.
 */
export function stopSignal({ onReload }: { onReload?: () => void } = {}): Promise<NodeJS.Signals> {
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY
  if (!hasTerminal) process.on('SIGHUP', () => onReload?.())
  return new Promise((resolve) => {
    let firstAt: number | null = null
    for (const signal of hasTerminal ? [...stopSignals, 'SIGHUP' as const] : stopSignals) {
      process.on(signal, () => {
        if (firstAt === null) {
          firstAt = performance.now()
          resolve(signal)
        } else if (performance.now() - firstAt > samePressMs) process.exit(130)
      })
    }
  })
}
