import { Worker } from 'node:worker_threads'

/** What a thread answers: its value, or that it was stopped at its limit. */
export type ThreadOutcome<T> = { readonly done: true; readonly value: T } | { readonly done: false }

/**
 * Runs a script in a worker thread of its own and ends it at the limit, which counts from when the thread is up. The
 * script gets `data` as its workerData and answers with one message. Rejects when it throws or `signal` fires.
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
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => reject(options.signal?.reason)
  options.signal?.addEventListener('abort', onAbort, { once: true })
  worker.once('online', () => {
    timer = setTimeout(() => resolve({ done: false }), options.limitMs)
  })
  worker.once('message', (value: T) => resolve({ done: true, value }))
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
