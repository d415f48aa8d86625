const stopSignals = ['SIGINT', 'SIGTERM'] as const
/** One Ctrl-C may arrive twice: from the terminal and through the launcher. */
const samePressMs = 1_000

/**
 * Resolves with the first signal to end this process. A second one ends it at once; its children
 * notice by their lifelines. SIGHUP ends it when a terminal closes; without a terminal it calls
 * `onReload`, if there is one.
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
