/**
 * A statement is prepared from its third use on. The number of prepared and of counted statements
 * is limited, so that connections do not grow without bound.
 */
const preparedFromUse = 3
const maxPrepared = 300
const maxCounted = 2000

/** Commands such as `begin` have no plan. */
const isPlanned = /^\s*(?:\/\*[^*]*\*\/\s*)?(select|with|insert|update|delete)\b/i
/**
 * Statements that need a plan for their values: a page of a list, because a generic plan would read
 * too much for the first page, and a conflict with a partial index, which a parameter does not
 * match.
 */
const plannedByValue = [/ limit \$/i, /on conflict \([^)]*\) where [^$]*\$/i]

/**
 * Names recurring statements. Postgres parses and plans a named statement once for each connection,
 * instead of every time. That is half the cost of most statements here.
 */
export class StatementNames {
  readonly #uses = new Map<string, number>()
  /** `null`: not to be prepared */
  readonly #names = new Map<string, string | null>()
  #nameCount = 0

  /** Counts one use of a statement and returns its name; `undefined` before it recurs. */
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

  /** Forgets all names after a change of the schema, so that statements get new ones. */
  forget(): void {
    this.#names.clear()
  }
}
