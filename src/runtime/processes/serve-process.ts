import { flushCompileCache } from 'node:module'
import { errorMessage } from '#domain/error-message.ts'
import { collectAtRest, lookEveryMs } from './collect-at-rest.ts'
import { ownLifeline } from './lifeline.ts'

/** A process that cannot serve, also after a restart: the whole start ends with the sentence. */
export class Refusal extends Error {
  override name = 'Refusal'
}

/** How often a serving process reports that its event loop runs. */
const turnIntervalMs = 1_000

/** A stopping process is killed this long after its grace time, so that nobody waits for ever. */
const exitDelayMs = 5_000

/**
 * Runs one of the server processes: builds it, reports that it serves, and stops it on a signal, or
 * with a sentence if it must not serve any longer. `build` gets a stack for what must be undone, in
 * reverse order, a function to refuse later, and a signal that fires when the process shall end.
 * SIGHUP does not end it: the API reads the project folder again.
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
  const { promise: refusal, resolve: refuse } = Promise.withResolvers<string>()
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
    console.error(errorMessage(error))
    process.exit(1)
  }
  ownLifeline()?.sayReady()
  // Otherwise the cache is written at a graceful end only: a killed process would compile
  // everything again.
  flushCompileCache()
  undo.use(collectAtRest(lookEveryMs))
  setInterval(() => ownLifeline()?.sayTurns(), turnIntervalMs).unref()
  const sentence = await Promise.race([stopped, refusal])
  if (sentence !== null) {
    await ownLifeline()?.sayRefused(sentence)
    console.error(sentence)
  }
  setTimeout(() => process.exit(1), graceMs + exitDelayMs).unref()
  await undo.disposeAsync()
  process.exit(sentence === null ? 0 : 1)
}
