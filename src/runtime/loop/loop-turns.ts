import { Worker } from 'node:worker_threads'
import type { MetricsPage } from '#api/context/api.ts'
import { threadEnvironment } from '#sandbox/process/thread-environment.ts'
import type { MetricsAddress } from '../metrics/serve-metrics.ts'

/** How often the loop shows that it runs. */
const turnIntervalMs = 500

/** The settings of the watching thread. */
export interface WatchSetup {
  /** a counter that the watched loop increments */
  readonly turns: SharedArrayBuffer
  /** after this time it is not ready */
  readonly lateMs: number
  /**
   * after this time the whole process is killed: its supervisor starts it again, and its work is
   * found and settled
   */
  readonly wedgedMs: number
  readonly address: MetricsAddress | null
}

/** Messages of the thread: it serves, it cannot, or metrics are requested. */
export type FromWatch =
  | { readonly serves: number | null }
  | { readonly problem: string }
  | { readonly ask: number }

/** The page of metrics, in answer to the request of that number. */
export interface ToWatch {
  readonly answer: number
  readonly text: string
  readonly type: string
}

/**
 * Starts a thread that watches whether this event loop runs. If it does not, the thread kills the
 * process (security.md 27). On `address`, the thread serves `/readyz` with this fact, and
 * `/metrics`, because a blocked loop could not. Throws one sentence if the port is taken.
 */
export async function watchLoop(options: {
  readonly lateMs: number
  readonly wedgedMs: number
  readonly address: MetricsAddress | null
  readonly page: MetricsPage | null
}): Promise<AsyncDisposable & { readonly port: number | null }> {
  const { lateMs, wedgedMs, address, page } = options
  const turns = new SharedArrayBuffer(4)
  const count = new Int32Array(turns)
  const timer = setInterval(() => Atomics.add(count, 0, 1), turnIntervalMs)
  timer.unref()
  const workerData: WatchSetup = { turns, lateMs, wedgedMs, address }
  const thread = new Worker(new URL('loop-watch-thread.ts', import.meta.url), {
    workerData,
    env: threadEnvironment(),
    execArgv: [],
  })
  thread.unref()
  const serving = Promise.withResolvers<number | null>()
  thread.once('error', serving.reject)
  thread.on('message', (message: FromWatch) => {
    if ('serves' in message) serving.resolve(message.serves)
    else if ('problem' in message) serving.reject(new Error(message.problem))
    else void answer(message.ask)
  })
  const answer = async (ask: number): Promise<void> => {
    const text = await (page?.text() ?? Promise.resolve('')).catch(() => '')
    const reply: ToWatch = { answer: ask, text, type: page?.contentType ?? 'text/plain' }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(reply)
  }
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await thread.terminate()
  }
  try {
    return { port: await serving.promise, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}
