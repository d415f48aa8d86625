import { checkAuthorisation } from './authorisation/check-authorisation.ts'
import { checkBinding } from './binding/check-binding.ts'
import { checkCompleteness } from './completeness/check-completeness.ts'
import { checkStatements } from './statements/check-statements.ts'
import type { Check, Extent } from './check.ts'
import { countErased } from './count-erased.ts'
import { Findings, verdictNames, type Verdict, type VerdictName } from './finding.ts'
import type { LoggedEvent } from './logged-event.ts'
import { readEvent } from './logged-event.ts'
import { checkSignatures } from './signatures/check-signatures.ts'
import type { Statements } from './statements/statements.ts'

/** What is found about one piece of evidence, by verdict. */
export type AllFindings = Readonly<Record<VerdictName, Findings>>

export function openFindings(): AllFindings {
  const entries = verdictNames.map((name) => [name, new Findings(name)] as const)
  return Object.fromEntries(entries) as Record<VerdictName, Findings>
}

/** The verdicts, in the order in which they are printed. */
export function verdictsOf(findings: AllFindings): Verdict[] {
  return verdictNames.map((name) => findings[name].verdict())
}

/** Judges what the events say, one after the other. */
export class EventJudge {
  readonly #checks: readonly Check[]
  readonly #findings: AllFindings
  #newest: LoggedEvent | null = null

  constructor(findings: AllFindings, extent: Extent, statements: Statements) {
    this.#findings = findings
    this.#checks = [
      checkStatements(findings.authenticity, statements, extent.whole),
      checkAuthorisation(findings.authorisation, extent),
      checkSignatures(findings),
      checkBinding(findings.binding, extent),
      checkCompleteness(findings.completeness, extent),
      countErased(findings.integrity),
    ]
  }

  /** The newest event so far, by its time. */
  get newest(): LoggedEvent | null {
    return this.#newest
  }

  take(index: number, text: string): void {
    const event = readEvent(index, text)
    if (event === null) {
      this.#findings.completeness.fail('the event is no JSON document', { event: { index } })
      return
    }
    if (this.#newest === null || event.atMs >= this.#newest.atMs) this.#newest = event
    for (const check of this.#checks) check.take(event)
  }

  end(): void {
    for (const check of this.#checks) check.end()
  }
}
