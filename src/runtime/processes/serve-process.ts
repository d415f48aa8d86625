import { flushCompileCache } from 'node:module'
import { ownLifeline } from './lifeline.ts'

/**
 * A process that cannot serve and would not if it were started again: the whole start ends with the
 * sentence.
 */
export class Refusal extends Error {
  override name = 'Refusal'
}

/** How often a process that serves says that its event loop turns. */
const turnIntervalMs = 1_000

/** Past its grace a stopping process is ended: whoever waits for it must not wait for ever. */
const exitDelayMs = 5_000

/**
 * Run one of the server processes: build it, say that it serves, and take it down when a signal
 * comes, or with a sentence when it finds later that it must not serve.
 *
 * `build` gets a stack on which it lays what must be undone, in the reverse order, the way to
 * refuse later, and a signal that fires when the process is told to end. SIGHUP is not a signal to
 * end: the API reads the project folder again.
 */
export async function serveProcess(
  graceMs: number,
  build: (
    undo: AsyncDisposableStack,
    refuse: (sentence: string) => void,
    stopping: AbortSignal,
  ) => Promise<void>,
): Promise<void> {
  const undo = new AsyncDisposableStack()
  let refuse: (sentence: string) => void = () => undefined
  const refused = new Promise<string>((resolve) => {
    refuse = resolve
  })
  const stopped = new Promise<null>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(null))
  })
  const stopping = new AbortController()
  void stopped.then(() => stopping.abort())
  process.on('SIGHUP', () => undefined)
  try {
    await build(undo, refuse, stopping.signal)
  } catch (error) {
    await undo.disposeAsync().catch(() => undefined)
    if (error instanceof Refusal) await ownLifeline()?.sayRefused(error.message)
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
  ownLifeline()?.sayReady()
  // Otherwise written at a graceful end only: who was killed would compile everything anew when it
  // is started again.
  flushCompileCache()
  setInterval(() => ownLifeline()?.sayTurns(), turnIntervalMs).unref()
  const sentence = await Promise.race([stopped, refused])
  if (sentence !== null) {
    await ownLifeline()?.sayRefused(sentence)
    console.error(sentence)
  }
  setTimeout(() => process.exit(1), graceMs + exitDelayMs).unref()
  await undo.disposeAsync()
  process.exit(sentence === null ? 0 : 1)
}
