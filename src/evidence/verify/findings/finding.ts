/**
 * The separate verdicts of a verification, in the order in which they are printed (audit.md,
 * verifying).
 */
export const verdictNames = [
  'integrity',
  'authenticity',
  'authorisation',
  'binding',
  'completeness',
  'freshness',
] as const

export type VerdictName = (typeof verdictNames)[number]

/** The event that a finding is about, as far as it is known. */
export interface EventReference {
  /** place in the log, from 0; absent of an event that has none */
  readonly index?: number
  readonly id?: string
  readonly type?: string
  readonly requestId?: string
}

/** What is wrong, and where. */
export interface Finding {
  readonly problem: string
  readonly event?: EventReference
  readonly requestId?: string
  readonly runId?: string
}

/**
 * What somebody should know of evidence that holds all the same. `clock`: the service's clock was
 * wrong for a while.
 */
export interface Warning extends Finding {
  readonly kind: 'clock'
}

/** `unknown`: it cannot be judged from what was given, which is not a pass. */
export type Outcome = 'holds' | 'fails' | 'unknown'

export interface Verdict {
  readonly name: VerdictName
  readonly outcome: Outcome
  /** the first findings that make it fail, or that cannot be judged */
  readonly findings: readonly Finding[]
  /** how many there are in all */
  readonly found: number
  /** what changes no outcome */
  readonly warnings: readonly Warning[]
  /** what was looked at, and how far the verdict reaches */
  readonly notes: readonly string[]
}

/** A log in ruins has a finding an event: these are enough to see where it begins. */
const maxFindings = 50

/** Gathers what one verdict rests on. */
export class Findings {
  readonly #name: VerdictName
  readonly #wrong: Finding[] = []
  readonly #unjudged: Finding[] = []
  readonly #warnings: Warning[] = []
  readonly #notes: string[] = []
  #failures = 0
  #unknowns = 0

  constructor(name: VerdictName) {
    this.#name = name
  }

  /** This is wrong: the verdict fails. */
  fail(problem: string, about: Omit<Finding, 'problem'> = {}): void {
    this.#failures += 1
    if (this.#wrong.length < maxFindings) this.#wrong.push({ problem, ...about })
  }

  /** This cannot be judged from what was given: the verdict does not hold. */
  cannotJudge(problem: string, about: Omit<Finding, 'problem'> = {}): void {
    this.#unknowns += 1
    if (this.#unjudged.length < maxFindings) this.#unjudged.push({ problem, ...about })
  }

  /** This is not as it should be, and proves nothing wrong. */
  warn(kind: Warning['kind'], problem: string, about: Omit<Finding, 'problem'> = {}): void {
    this.#warnings.push({ kind, problem, ...about })
  }

  note(text: string): void {
    this.#notes.push(text)
  }

  verdict(): Verdict {
    return {
      name: this.#name,
      outcome: this.#failures > 0 ? 'fails' : this.#unknowns > 0 ? 'unknown' : 'holds',
      findings: [...this.#wrong, ...this.#unjudged].slice(0, maxFindings),
      found: this.#failures + this.#unknowns,
      warnings: [...this.#warnings],
      notes: [...this.#notes],
    }
  }
}
