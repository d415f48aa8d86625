import { Problem } from '#domain/problem.ts'

/** One answer that is held open: how to let it go for another one of the same holder. */
interface HeldAnswer {
  readonly makeRoom: () => void
}

/**
 * Counts the answers that are held open (event streams, long polls) by holder and limits them, so
 * that one holder cannot use up all (security.md 37).
 */
export class HeldAnswers {
  readonly #byHolder = new Map<string, Set<HeldAnswer>>()

  /**
   * Counts one more; call what it returns when the answer is over. Over `most` the oldest of the
   * holder makes room, when it can, and else it throws `rate_limited`, which says what there is too
   * much of.
   */
  hold(
    holder: string,
    most: number,
    over: { readonly what: string; readonly makeRoom: (() => void) | null },
  ): () => void {
    const answers = this.#byHolder.get(holder) ?? new Set<HeldAnswer>()
    if (answers.size >= most) {
      const [oldest] = answers
      if (over.makeRoom === null || oldest === undefined) {
        throw new Problem('rate_limited', `At most ${most} ${over.what} are held open at a time`, {
          most,
          retryAfterSeconds: 5,
        })
      }
      answers.delete(oldest)
      oldest.makeRoom()
    }
    const one: HeldAnswer = { makeRoom: over.makeRoom ?? (() => undefined) }
    answers.add(one)
    this.#byHolder.set(holder, answers)
    return () => {
      answers.delete(one)
      if (answers.size === 0 && this.#byHolder.get(holder) === answers)
        this.#byHolder.delete(holder)
    }
  }

  /** How many answers are held open for a holder. */
  count(holder: string): number {
    return this.#byHolder.get(holder)?.size ?? 0
  }
}
