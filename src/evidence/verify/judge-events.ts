import { recordOf } from '#domain/json/record-of.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { checkAuthorisation } from './authorisation/check-authorisation.ts'
import { checkCompleteness } from './completeness/check-completeness.ts'
import { checkStatements } from './statements/check-statements.ts'
import type { Check, Extent } from './findings/check.ts'
import { Findings, verdictNames, type Verdict, type VerdictName } from './findings/finding.ts'
import { LogClock } from './findings/log-clock.ts'
import { type LoggedEvent, readEvent } from './findings/logged-event.ts'
import { checkSignatures } from './signatures/check-signatures.ts'
import type { Statements } from '../bundle/statements.ts'
import { bindExecutions } from './binding/bind-executions.ts'
import { bindDecisions } from './binding/bind-decisions.ts'

/** The findings about one piece of evidence, by verdict. */
export type AllFindings = Readonly<Record<VerdictName, Findings>>

/** Empty findings for each verdict. */
export function openFindings(): AllFindings {
  return recordOf(verdictNames, (name) => new Findings(name))
}

/** The verdicts, in the order in which they are printed. */
export function verdictsOf(findings: AllFindings): Verdict[] {
  return verdictNames.map((name) => findings[name].verdict())
}

/** Judges the events, one after the other. */
export class EventJudge {
  readonly #checks: readonly Check[]
  readonly #findings: AllFindings
  readonly #clock = new LogClock()

  constructor(findings: AllFindings, extent: Extent, statements: Statements) {
    this.#findings = findings
    this.#checks = [
      checkStatements(findings.authenticity, statements, extent.isWhole),
      checkAuthorisation(findings.authorisation, extent),
      checkSignatures(findings),
      // The same digest, after the approval, before its end, once.
      bindDecisions(findings.binding),
      bindExecutions(findings.binding, extent),
      checkCompleteness(findings.completeness, extent, this.#clock),
      countErased(findings.integrity),
    ]
  }

  /** The newest event so far, by its time on the present clock. */
  get newest(): LoggedEvent | null {
    return this.#clock.newest
  }

  take(index: number, text: string): void {
    const event = readEvent(index, text)
    if (event === null) {
      this.#findings.completeness.fail('the event is no JSON document', { event: { index } })
      return
    }
    for (const check of this.#checks) check.take(event)
  }

  end(): void {
    for (const check of this.#checks) check.end()
  }
}

/** Counts what people erased: it is missing here, but the commitments to it are present. */
function countErased(findings: Findings): Check {
  const hashes = new Set<string>()
  let contents = 0
  return {
    take({ type, detail }) {
      if (type !== 'content.erased') return
      const erased = detail['hashes']
      if (Array.isArray(erased)) {
        for (const hash of erased) if (typeof hash === 'string') hashes.add(hash)
      }
      const went = detail['of'] === 'contents' ? detail['contents'] : undefined
      if (typeof went === 'number') contents += went
    },
    end() {
      if (hashes.size > 0)
        findings.describe(`${countWords(hashes.size, 'text')} erased; the hashes are kept`)
      if (contents > 0)
        findings.describe(`${countWords(contents, 'content')} erased; the digests are kept`)
    },
  }
}
