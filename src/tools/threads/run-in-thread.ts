import { parentPort, Worker } from 'node:worker_threads'
import { threadEnvironment } from '#sandbox/process/thread-environment.ts'

/** The result of a thread: its value, or that it was stopped at its limit. */
export type ThreadOutcome<T> = { readonly done: true; readonly value: T } | { readonly done: false }

/** Runs a script that sends one value as `gatherFromThread` does. */
export async function runInThread<T>(
  script: URL,
  data: unknown,
  options: { readonly limitMs: number; readonly signal: AbortSignal | null },
): Promise<ThreadOutcome<T>> {
  const values: T[] = []
  const take = (value: T): boolean => values.push(value) > 0
  await gatherFromThread<T>(script, data, { ...options, take })
  const [value] = values
  return value === undefined ? { done: false } : { done: true, value }
}

/** How long a thread may take to load its script, on however busy a machine. */
const loadLimitMs = 20_000

/**
 * Runs a script in a worker thread of its own and passes each value it sends to `take`, until that
 * returns true. Returns false when the thread was ended at the limit. The script gets `data` as its
 * workerData and sends `'loaded'` first, from which the limit counts. Rejects when it throws or
 * `signal` fires.
 */
export async function gatherFromThread<T>(
  script: URL,
  data: unknown,
  options: {
    readonly limitMs: number
    readonly signal: AbortSignal | null
    take(value: T): boolean
  },
): Promise<boolean> {
  options.signal?.throwIfAborted()
  const worker = new Worker(script, {
    workerData: data,
    env: threadEnvironment(),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const stop = (): void => resolve(false)
  let timer = setTimeout(stop, loadLimitMs)
  const onAbort = (): void => reject(options.signal?.reason)
  options.signal?.addEventListener('abort', onAbort, { once: true })
  worker.once('message', () => {
    clearTimeout(timer)
    timer = setTimeout(stop, options.limitMs)
    worker.on('message', (value: T) => {
      if (options.take(value)) resolve(true)
    })
  })
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('The thread ended without an answer')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}

/** Sends a value to the thread that started this one. */
export function send(message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message)
}
