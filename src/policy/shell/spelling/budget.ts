/**
 * The number of steps for searching one text for blocked commands. Steps, not time, so that the
 * same text always has the same verdict; a step costs about as much as one word. A text that
 * exceeds its budget is blocked: a limit never makes a verdict milder (workers-and-policy.md, shell
 * rules).
 */
export class Budget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  /** Takes some steps; `false` when too few are left. */
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
