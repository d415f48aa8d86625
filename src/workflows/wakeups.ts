/** Above this many remembered ids every waiting call is looked at instead. */
const rememberedIdsMost = 256

/** After this many signals the run continues as new at its next wait (the server's limit is 10,000). */
const signalsMost = 2000

/**
 * What signals have said since the current turn began. Handlers only write here and never await; nothing
 * here decides anything. Forgetting all of it loses nothing, since each outcome is read from the store.
 */
export class Wakeups {
  readonly #decided = new Set<string>()
  /** Raised when everything must be looked at once more; a request looked at before it is due again. */
  #generation = 0
  readonly #lookedAt = new Map<string, number>()
  #messaged = false
  #cancelRequested = false
  #signals = 0

  /** A decision on these requests was recorded, or so the signal says. */
  decided(requestIds: readonly string[]): void {
    this.#signals += 1
    if (!Array.isArray(requestIds)) return
    for (const id of requestIds) {
      if (this.#decided.size < rememberedIdsMost) this.#decided.add(id)
      else this.lookAtEverything()
    }
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

  /** True when something was said about one of the requests since it was looked at, or about the whole run. */
  concern(requestIds: readonly string[]): boolean {
    return requestIds.some(
      (id) => this.#decided.has(id) || this.#generation > (this.#lookedAt.get(id) ?? 0),
    )
  }

  /** Remembers that the store is asked about these requests now. */
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

  /** The store is asked now: a real cancel is seen there, a forged one is forgotten. */
  cancelWasLookedAt(): void {
    this.#cancelRequested = false
  }

  /** True when the workflow should continue as new at the next wait. */
  get tooMany(): boolean {
    return this.#signals >= signalsMost
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
