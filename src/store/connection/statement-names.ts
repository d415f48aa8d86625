/**
 * A statement is worth preparing when it comes back; so many are kept, so that no connection hoards
 * them.
 */
const preparedFromUse = 3
const maxPrepared = 300
const maxCounted = 2000

/** Commands such as `begin` have no plan. */
const isPlanned = /^\s*(select|with|insert|update|delete)\b/i
/**
 * Planned for their values only: the page of a list (a plan for any page would read too much for
 * the first), and a conflict with a partial index (which is not found by a predicate with a
 * parameter).
 */
const plannedByValue = [/ limit \$/i, /on conflict \([^)]*\) where [^$]*\$/i]

/**
 * Names for the statements that recur, under which each connection has Postgres parse and plan them
 * once instead of every time (half of what most of ours cost). A text that does not recur has no
 * name.
 */
export class StatementNames {
  readonly #uses = new Map<string, number>()
  /** `null`: one that is not to be prepared */
  readonly #names = new Map<string, string | null>()
  #nameCount = 0

  /** Counts one use of a statement; its name once it has recurred. */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size >= maxPrepared) return name ?? undefined
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses < preparedFromUse) {
      if (this.#uses.size >= maxCounted) this.#uses.clear()
      this.#uses.set(text, uses)
      return undefined
    }
    this.#uses.delete(text)
    const isPrepared = isPlanned.test(text) && !plannedByValue.some((by) => by.test(text))
    if (isPrepared) this.#nameCount += 1
    const newName = isPrepared ? `countersign_${this.#nameCount}` : null
    this.#names.set(text, newName)
    return newName ?? undefined
  }

  /**
   * The schema has changed under the prepared ones: every statement is prepared anew, under another
   * name.
   */
  forget(): void {
    this.#names.clear()
  }
}
