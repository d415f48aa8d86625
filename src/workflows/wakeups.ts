import { idsOf } from './untrusted.ts'

/** Ids beyond this many are not remembered: the store is then read for every waiting call. */
const maxRememberedIds = 256

/** Signals until the run continues as new at its next wait (the server allows 10,000). */
const maxSignals = 2000

/**
 * The signals since the current turn began. Handlers only write here, never await, and decide
 * nothing. Nothing is lost when it is all forgotten, because each outcome is read from the store.
 */
export class Wakeups {
  readonly #decided = new Set<string>()
  /** Grows when all must be read again, since a request that was read before is due. */
  #generation = 0
  readonly #lookedAt = new Map<string, number>()
  #messaged = false
  #cancelRequested = false
  #signals = 0

  /** A decision on these requests was recorded, or so the signal says. */
  addDecided(requestIds: unknown): void {
    this.#signals += 1
    const { ids, more } = idsOf(requestIds)
    for (const id of ids) {
      if (this.#decided.size < maxRememberedIds) this.#decided.add(id)
      else this.lookAtEverything()
    }
    if (more) this.lookAtEverything()
  }

  addMessage(): void {
    this.#signals += 1
    this.#messaged = true
  }

  /** Counts a signal that is stored elsewhere. */
  countSignal(): void {
    this.#signals += 1
  }

  cancelRequested(): void {
    this.#signals += 1
    this.#cancelRequested = true
    this.lookAtEverything()
  }

  /** Makes every waiting call read the store again, for instance after a deadline. */
  lookAtEverything(): void {
    this.#generation += 1
  }

  /**
   * Whether a signal named one of the requests, or concerned the whole run, since the store was
   * last read for it.
   */
  concern(requestIds: readonly string[]): boolean {
    return requestIds.some(
      (id) => this.#decided.has(id) || this.#generation > (this.#lookedAt.get(id) ?? 0),
    )
  }

  /** Remembers that the store is read for these requests now. */
  lookAt(requestIds: readonly string[]): void {
    for (const id of requestIds) {
      this.#decided.delete(id)
      this.#lookedAt.set(id, this.#generation)
    }
  }

  /** Whether the store may have a message or the end of the run. */
  get saysMessage(): boolean {
    return this.#messaged || this.#cancelRequested
  }

  get saysCancel(): boolean {
    return this.#cancelRequested
  }

  /**
   * Call this after reading the store. A cancellation that a person asked for is recorded there; a
   * forged signal is not, and is ignored.
   */
  cancelWasLookedAt(): void {
    this.#cancelRequested = false
  }

  /** True when the workflow should continue as new at the next wait. */
  get tooMany(): boolean {
    return this.#signals >= maxSignals
  }

  /** Forgets everything, because a new turn reads the store again. */
  beginTurn(): void {
    this.#decided.clear()
    this.#lookedAt.clear()
    this.#generation = 0
    this.#messaged = false
    this.#cancelRequested = false
  }
}
