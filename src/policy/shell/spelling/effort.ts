/**
 * How much is done to look for what is blocked in one text. Counted in steps, not in time, so that the same text is always
 * judged alike; a step is about what looking at one word costs. Once it is spent the text is blocked: a limit never loosens
 * a verdict (workers-and-policy.md, shell rules).
 */
export class Effort {
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

/** Steps for reading a text in every way it could mean, and for holding the rules against what was read. */
export const mostSteps = { reading: 45_000, matching: 75_000 } as const
