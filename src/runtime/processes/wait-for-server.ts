import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '#domain/error-message.ts'
import { ownLifeline } from './lifeline.ts'
import { sayWhileSlow } from './say-while-slow.ts'

/** How long a starting process waits for a server: a busy machine is slow. */
export const patienceMs = 120_000

const againAfterMs = 100

/** The server to wait for. */
export interface AwaitedServer<T> {
  /** "Temporal at 127.0.0.1:7233" */
  readonly name: string
  readonly ask: () => Promise<T>
  /** whether a later try may succeed; other errors are thrown at once */
  readonly mayPass: (error: unknown) => boolean
  /** what to do about a server that does not answer */
  readonly remedy: string
  readonly patienceMs: number
  /** fires when the process shall end */
  readonly stopping: AbortSignal
}

/**
 * Tries a server until it answers, and reports after two seconds and then every ten that it is
 * waiting. Throws an error that waiting cannot fix at once, and a sentence with the remedy after
 * the time limit.
 */
export async function waitForServer<T>(server: AwaitedServer<T>): Promise<T> {
  const begunMs = performance.now()
  using _slow = sayWhileSlow(() => sayWaiting(server))
  for (;;) {
    try {
      return await server.ask()
    } catch (error) {
      if (!server.mayPass(error)) throw error
      const tookMs = performance.now() - begunMs
      if (server.stopping.aborted || tookMs >= server.patienceMs) {
        throw new Error(sentenceOf(server, tookMs, error), { cause: error })
      }
    }
    await delay(againAfterMs)
  }
}

function sayWaiting({ name, patienceMs }: AwaitedServer<unknown>): void {
  const sentence = `${name} does not answer yet: waiting for it, ${patienceMs / 1000} s at most`
  console.error(sentence)
  ownLifeline()?.sayWaits(sentence)
}

function sentenceOf({ name, remedy }: AwaitedServer<unknown>, tookMs: number, error: unknown) {
  const why = errorMessage(error)
  return `${name} did not answer within ${Math.round(tookMs / 1000)} s (${why}): ${remedy}`
}
