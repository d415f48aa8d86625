import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow'
import { type Deadline, millisecondsUntil } from './deadline.ts'

/**
 * The timer of a run's waits. A timer that is started and cancelled with every wait costs two
 * events of history for each step. This one continues after its wait, and the next wait uses it if
 * it is due no later than that wait's deadline. If it fires early, another one is started. With
 * `isKept: false`, as in older histories, each wait has a timer of its own.
 */
export class WaitTimer {
  readonly #isKept: boolean
  #due: Deadline = null
  #scope: CancellationScope | null = null

  constructor(isKept: boolean) {
    this.#isKept = isKept
  }

  /** Waits until `isWoken` (true) or until the deadline (false). */
  async wait(isWoken: () => boolean, deadline: Deadline): Promise<boolean> {
    if (deadline === null) {
      await condition(isWoken)
      return true
    }
    if (!this.#isKept) return condition(isWoken, millisecondsUntil(deadline))
    while (!isWoken()) {
      if (Date.now() >= deadline) return false
      this.#startBefore(deadline)
      await condition(() => isWoken() || this.#due === null)
    }
    return true
  }

  #startBefore(deadline: number): void {
    if (this.#due !== null && this.#due <= deadline) return
    this.#scope?.cancel()
    const scope = new CancellationScope({ cancellable: true })
    this.#scope = scope
    this.#due = deadline
    void scope
      .run(() => sleep(millisecondsUntil(deadline)))
      .then(
        () => {
          if (this.#scope === scope) this.#due = null
        },
        (error: unknown) => {
          if (!isCancellation(error)) throw error
        },
      )
  }
}
