/**
 * How many turns the executions of a process may take at a time. An execution whose call has its
 * result goes on to the next turn only with one of these slots, which executions do not use: the
 * worker has as many slots for executions besides (create-workers.ts). Without one, the turn is
 * taken from the queue of turns. So a slow model keeps a slot of its kind and starves no execution,
 * and executions starve no turn.
 */
export class TurnSlots {
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  /** A slot, given back when it is disposed of; `null`: none is free now. */
  take(): Disposable | null {
    if (this.#free === 0) return null
    this.#free -= 1
    return {
      [Symbol.dispose]: () => {
        this.#free += 1
      },
    }
  }
}
