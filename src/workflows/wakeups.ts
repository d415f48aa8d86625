import { idsOf } from './untrusted.ts'

/** Above this many remembered ids every waiting call is looked at instead. */
const maxRememberedIds = 256

/**
 * After this many signals the run continues as new at its next wait (the server's limit is 10,000).
 */
const maxSignals = 2000

/**
 * The signals since the current turn began. Handlers only write here and never await; nothing here
 * decides anything. Forgetting all of it loses nothing, since each outcome is read from the store.
 */
export class Wakeups {
  readonly #decided = new Set<string>()
  /**
   * Raised when everything must be read once more: a request that was read before is due again.
   */
  #generation = 0
  readonly #lookedAt = new Map<string, number>()
  #messaged = false
  #cancelRequested = false
  #signals = 0

  /** A decision on these requests was recorded, or so the signal says. */
  decided(requestIds: unknown): void {
    this.#signals += 1
    const { ids, more } = idsOf(requestIds)
    for (const id of ids) {
      if (this.#decided.size < maxRememberedIds) this.#decided.add(id)
      else this.lookAtEverything()
    }
    if (more) this.lookAtEverything()
  }

  messaged(): void {
    this.#signals += 1
    this.#messaged = true
  }

  /** A signal that is remembered elsewhere. */
  counted(): void {
    this.#signals += 1
  }

  cancelRequested(): void {
    this.#signals += 1
    this.#cancelRequested = true
    this.lookAtEverything()
  }

  /** Makes every waiting call be looked at once more, for instance after a deadline. */
  lookAtEverything(): void {
    this.#generation += 1
  }

  /**
   * True when a signal named one of the requests since the store was last read for it, or concerned
   * the whole run.
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

  /** True when a message, or the end of the run, may be there to be read. */
  get saysMessage(): boolean {
    return this.#messaged || this.#cancelRequested
  }

  get saysCancel(): boolean {
    return this.#cancelRequested
  }

  /** The store is read now: a real cancel is found there, a forged one is forgotten. */
  cancelWasLookedAt(): void {
    this.#cancelRequested = false
  }

  /** True when the workflow should continue as new at the next wait. */
  get tooMany(): boolean {
    return this.#signals >= maxSignals
  }

  /** Forgets everything: a new turn reads the store afresh. */
  beginTurn(): void {
    this.#decided.clear()
    this.#lookedAt.clear()
    this.#generation = 0
    this.#messaged = false
    this.#cancelRequested = false
  }
}
