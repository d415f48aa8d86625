import { Worker } from 'node:worker_threads'

/** A worker thread that answers one question after the other. */
export interface AskedThread<Question, Answer> extends AsyncDisposable {
  /** `null`: no answer within the limit; the thread is ended then, and must not be asked again. */
  ask(question: Question, limitMs: number): Promise<Answer | null>
}

/** Starts a thread, whose script sends `'loaded'` first; disposing ends it, whatever it is doing. */
export async function askThread<Question, Answer>(
  script: URL,
  data: unknown,
): Promise<AskedThread<Question, Answer>> {
  const worker = new Worker(script, {
    workerData: data,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => undefined)
  worker.once('error', ended.reject)
  worker.once('exit', () => ended.reject(new Error('The thread has ended')))
  const loaded = Promise.withResolvers<void>()
  worker.once('message', () => loaded.resolve())
  await Promise.race([loaded.promise, ended.promise])
  return {
    async ask(question, limitMs) {
      const { promise, resolve } = Promise.withResolvers<Answer | null>()
      const timer = setTimeout(() => resolve(null), limitMs)
      worker.once('message', resolve)
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage(question)
        const answer = await Promise.race([promise, ended.promise])
        if (answer === null) await worker.terminate()
        return answer
      } finally {
        clearTimeout(timer)
        worker.off('message', resolve)
      }
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}
