import { ownLifeline } from './processes/lifeline.ts'

/** A process that cannot serve and would not if it were started again: the whole start ends with the sentence. */
export class Refusal extends Error {
  override name = 'Refusal'
}

/** Past its grace a stopping process is ended: whoever waits for it must not wait for ever. */
const LAST_MS = 5_000

/**
 * Run one of the server processes: build it, say that it serves, and take it down when a signal comes.
 *
 * `build` gets a stack on which it lays what must be undone, in the reverse order.
 */
export async function serveProcess(
  graceMs: number,
  build: (undo: AsyncDisposableStack) => Promise<void>,
): Promise<void> {
  const undo = new AsyncDisposableStack()
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => resolve())
  })
  try {
    await build(undo)
  } catch (error) {
    await undo.disposeAsync().catch(() => undefined)
    if (error instanceof Refusal) await ownLifeline()?.sayRefused(error.message)
    throw error
  }
  ownLifeline()?.sayReady()
  await stopped
  setTimeout(() => process.exit(1), graceMs + LAST_MS).unref()
  await undo.disposeAsync()
  process.exit(0)
}
