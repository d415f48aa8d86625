/** The verdicts of a verification, as they are printed (audit.md, verifying). */
export const verdictNames = [
  'integrity',
  'authenticity',
  'authorisation',
  'binding',
  'completeness',
  'freshness',
] as const

export type VerdictName = (typeof verdictNames)[number]

/** The event of a finding, as far as it is known. */
export interface EventReference {
  /** index in the log; absent: it has none */
  readonly index?: number
  readonly id?: string
  readonly type?: string
  readonly requestId?: string
}

/** A problem, and its place. */
export interface Finding {
  readonly problem: string
  readonly event?: EventReference
  readonly requestId?: string
  readonly runId?: string
}

/** A remark on evidence that holds. `clock`: the service's clock was wrong for a while. */
export interface Warning extends Finding {
  readonly kind: 'clock'
}

/** `unknown`: the evidence is not enough to judge it, which is not a pass. */
export type Outcome = 'holds' | 'fails' | 'unknown'

export interface Verdict {
  readonly name: VerdictName
  readonly outcome: Outcome
  /** the first findings that make it fail, or that cannot be judged */
  readonly findings: readonly Finding[]
  /** the number of all findings */
  readonly found: number
  /** remarks that change no outcome */
  readonly warnings: readonly Warning[]
  /** what was examined, and how far the verdict reaches */
  readonly notes: readonly string[]
}

/** A destroyed log has one finding for each event: these are enough to see where it begins. */
const maxFindings = 50

/** Collects the findings of one verdict. */
export class Findings {
  readonly #name: VerdictName
  readonly #wrong: Finding[] = []
  readonly #unjudged: Finding[] = []
  readonly #warnings: Warning[] = []
  readonly #descriptions: string[] = []
  #failures = 0
  #unknowns = 0

  constructor(name: VerdictName) {
    this.#name = name
  }

  /** Records a failure: the verdict fails. */
  fail(problem: string, about: Omit<Finding, 'problem'> = {}): void {
    this.#failures += 1
    if (this.#wrong.length < maxFindings) this.#wrong.push({ problem, ...about })
  }

  /** Records that the evidence is not enough: the verdict does not hold. */
  cannotJudge(problem: string, about: Omit<Finding, 'problem'> = {}): void {
    this.#unknowns += 1
    if (this.#unjudged.length < maxFindings) this.#unjudged.push({ problem, ...about })
  }

  /** Records a remark that proves nothing wrong. */
  warn(kind: Warning['kind'], problem: string, about: Omit<Finding, 'problem'> = {}): void {
    this.#warnings.push({ kind, problem, ...about })
  }

  /** Records what was examined, or how far the verdict reaches. */
  describe(text: string): void {
    this.#descriptions.push(text)
  }

  verdict(): Verdict {
    return {
      name: this.#name,
      outcome: this.#failures > 0 ? 'fails' : this.#unknowns > 0 ? 'unknown' : 'holds',
      findings: [...this.#wrong, ...this.#unjudged].slice(0, maxFindings),
      found: this.#failures + this.#unknowns,
      warnings: [...this.#warnings],
      notes: [...this.#descriptions],
    }
  }
}
