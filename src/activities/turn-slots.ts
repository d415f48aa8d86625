/**
 * Limits how many turns are taken at once on the queue of executions: the next turn by an execution
 * whose call has its result, and a first turn. The worker has additional slots for executions
 * (create-workers.ts). Without a free slot, the turn is taken from the queue of turns. So slow
 * models do not starve executions, and executions do not starve turns.
 */
export class TurnSlots {
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  /** Takes a slot, which is returned when it is disposed of; `null`: none is free. */
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
