/**
 * How many steps the search for blocked commands in one text may take. Steps, not time, so that the
 * same text always has the same verdict; a step is about the cost of one word. A text whose budget
 * is spent is blocked: a limit never loosens a verdict (workers-and-policy.md, shell rules).
 */
export class Budget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  /** Takes some steps; `false` when there were not enough. */
  spend(steps: number): boolean {
    this.#left -= steps
    return this.#left >= 0
  }

  get isSpent(): boolean {
    return this.#left < 0
  }
}

/** Steps for reading everything that a text could mean, and for matching the rules against it. */
export const maxSteps = { reading: 45_000, matching: 75_000 } as const
