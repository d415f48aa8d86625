/** Runs at most `maxRunning` works at once; the others wait in the order they came. */
export class Semaphore {
  readonly #maxRunning: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning
  }

  /** Runs the work once a slot is free. Rejects without running it when `signal` fires before. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxRunning) await this.#slot(signal)
    else this.#running += 1
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      const next = this.#waiting.shift()
      // The next in the queue takes the slot.
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  async #slot(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      const at = this.#waiting.indexOf(resolve)
      if (at === -1) return
      this.#waiting.splice(at, 1)
      reject(signal.reason)
    }
    this.#waiting.push(resolve)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
}
