import { Worker } from 'node:worker_threads'

/** What a thread answers: its value, or that it was stopped at its limit. */
export type ThreadOutcome<T> = { readonly done: true; readonly value: T } | { readonly done: false }

/** How long a thread may take to load its script, on however busy a machine. */
const loadLimitMs = 20_000

/**
 * Runs a script in a worker thread of its own and ends it at the limit. The script gets `data` as its workerData and
 * sends two messages: `'loaded'`, from which the limit counts, and its answer. Rejects when it throws or `signal` fires.
 */
export async function runInThread<T>(
  script: URL,
  data: unknown,
  options: { readonly limitMs: number; readonly signal: AbortSignal | null },
): Promise<ThreadOutcome<T>> {
  options.signal?.throwIfAborted()
  const worker = new Worker(script, {
    workerData: data,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const { promise, resolve, reject } = Promise.withResolvers<ThreadOutcome<T>>()
  const stop = (): void => resolve({ done: false })
  let timer = setTimeout(stop, loadLimitMs)
  const onAbort = (): void => reject(options.signal?.reason)
  options.signal?.addEventListener('abort', onAbort, { once: true })
  worker.once('message', () => {
    clearTimeout(timer)
    timer = setTimeout(stop, options.limitMs)
    worker.once('message', (value: T) => resolve({ done: true, value }))
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
