/** Every slot is in use for longer than a caller should wait; a later try can succeed. */
export class BusyError extends Error {
  override readonly name = 'BusyError'
}

interface WaitingShare {
  readonly go: (release: () => void) => void
}

/** The service's own work, which is not bounded. */
const ownWork = ''

/**
 * Distributes slots (connections of a pool, questions to a host) among callers, so that no busy
 * caller delays the others: a caller has at most `maxPerCaller` at a time, and waiting callers are
 * served in turn. Waiting is bounded in time and in number (security.md 37).
 */
export class Shares {
  readonly #maxPerCaller: number
  readonly #maxWaiting: number
  readonly #waitMs: number
  readonly #inUse = new Map<string, number>()
  /** by caller; the one that was served last comes last */
  readonly #queues = new Map<string, Set<WaitingShare>>()
  #free: number
  #waiting = 0

  constructor(options: {
    readonly slots: number
    readonly maxPerCaller: number
    /** of one caller */
    readonly maxWaiting: number
    readonly waitMs: number
  }) {
    this.#free = options.slots
    this.#maxPerCaller = options.maxPerCaller
    this.#maxWaiting = options.maxWaiting
    this.#waitMs = options.waitMs
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#waiting
  }

  /** Resolves with a function that frees the caller's slot. Rejects with `BusyError`. */
  async take(caller: string | undefined): Promise<() => void> {
    const name = caller ?? ownWork
    if (this.#mayHave(name)) return this.#give(name)
    const queue = this.#queues.get(name) ?? new Set()
    if (name !== ownWork && queue.size >= this.#maxWaiting) {
      throw new BusyError(`${this.#maxWaiting} calls of this caller wait already`)
    }
    this.#queues.set(name, queue)
    return new Promise((resolve, reject) => {
      const share: WaitingShare = {
        go: (release) => {
          clearTimeout(timer)
          resolve(release)
        },
      }
      const timer = setTimeout(() => {
        this.#leave(name, queue, share)
        reject(new BusyError(`No slot was free for ${this.#waitMs} ms`))
      }, this.#waitMs)
      queue.add(share)
      this.#waiting += 1
    })
  }

  #mayHave(name: string): boolean {
    if (this.#free === 0) return false
    return name === ownWork || (this.#inUse.get(name) ?? 0) < this.#maxPerCaller
  }

  #give(name: string): () => void {
    this.#free -= 1
    this.#inUse.set(name, (this.#inUse.get(name) ?? 0) + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#free += 1
      const inUse = (this.#inUse.get(name) ?? 1) - 1
      if (inUse === 0) this.#inUse.delete(name)
      else this.#inUse.set(name, inUse)
      this.#serve()
    }
  }

  /** Gives free slots to waiting callers in turn. */
  #serve(): void {
    for (const [name, queue] of this.#queues) {
      if (this.#free === 0) return
      const [first] = queue
      if (first === undefined || !this.#mayHave(name)) continue
      this.#leave(name, queue, first)
      // Back to the end of the round, which this loop reaches as well.
      if (queue.size > 0) {
        this.#queues.delete(name)
        this.#queues.set(name, queue)
      }
      first.go(this.#give(name))
    }
  }

  #leave(name: string, queue: Set<WaitingShare>, share: WaitingShare): void {
    queue.delete(share)
    this.#waiting -= 1
    if (queue.size === 0 && this.#queues.get(name) === queue) this.#queues.delete(name)
  }
}
