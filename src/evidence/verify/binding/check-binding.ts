import type { Check, Extent } from '../findings/check.ts'
import { bindExecutions } from './bind-executions.ts'
import { bindDecisions } from './bind-decisions.ts'
import type { Findings } from '../findings/finding.ts'

/**
 * Binding: the decision is about the presentation, and the execution about the approval: the same
 * digest, after the approval, before its end, once.
 */
export function checkBinding(findings: Findings, extent: Extent): Check {
  const parts = [bindDecisions(findings), bindExecutions(findings, extent)]
  return {
    take: (event) => {
      for (const part of parts) part.take(event)
    },
    end: () => {
      for (const part of parts) part.end()
    },
  }
}
