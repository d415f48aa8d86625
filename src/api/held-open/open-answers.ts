import { Problem } from '#domain/problem.ts'

/** One open answer, with a function that ends it in favour of another one of the same holder. */
interface OpenAnswer {
  readonly makeRoom: () => void
}

/**
 * Counts open answers (event streams, long polls) by holder and limits them, so that one holder
 * cannot use all (security.md 37).
 */
export class OpenAnswers {
  readonly #byHolder = new Map<string, Set<OpenAnswer>>()

  /**
   * Counts one more; call the result when the answer is over. Over `maxOpen`, the oldest of the
   * holder is ended if possible; otherwise throws `rate_limited`, which names the bound.
   */
  hold(
    holder: string,
    maxOpen: number,
    over: { readonly what: string; readonly makeRoom: (() => void) | null },
  ): () => void {
    const answers = this.#byHolder.get(holder) ?? new Set<OpenAnswer>()
    if (answers.size >= maxOpen) {
      const [oldest] = answers
      if (over.makeRoom === null || oldest === undefined) {
        throw new Problem('rate_limited', `At most ${maxOpen} ${over.what} may be open at a time`, {
          most: maxOpen,
          retryAfterSeconds: 5,
        })
      }
      answers.delete(oldest)
      oldest.makeRoom()
    }
    const one: OpenAnswer = { makeRoom: over.makeRoom ?? (() => undefined) }
    answers.add(one)
    this.#byHolder.set(holder, answers)
    return () => {
      answers.delete(one)
      if (answers.size === 0 && this.#byHolder.get(holder) === answers)
        this.#byHolder.delete(holder)
    }
  }

  /** How many open answers a holder has. */
  count(holder: string): number {
    return this.#byHolder.get(holder)?.size ?? 0
  }
}
