import { auditEventTypes } from '#domain/audit-event.ts'
import { canonicalJson } from '#domain/json/digest.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { Check, Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import type { LogClock } from '../findings/log-clock.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'
import { followExecutions } from './follow-executions.ts'
import { followRequests } from './follow-requests.ts'
import { followRuns } from './follow-runs.ts'
import { followTime } from './follow-time.ts'

const knownTypes: ReadonlySet<string> = new Set(auditEventTypes)

/**
 * Completeness: every event has a valid form, none is repeated or was inserted later, the chain of
 * each request has no gap, and the transitions are legal, with an event for every end.
 */
export function checkCompleteness(findings: Findings, extent: Extent, clock: LogClock): Check {
  const parts = [
    followForm(findings),
    followTime(findings, clock),
    followRequests(findings, extent),
    followExecutions(findings),
    followRuns(findings, extent),
  ]
  return {
    take: (event) => {
      for (const part of parts) part.take(event)
    },
    end: () => {
      for (const part of parts) part.end()
      if (!extent.isWhole) {
        findings.describe(
          'a bundle cannot show what came after its newest event; a full export can',
        )
      }
    },
  }
}

function followForm(findings: Findings): Check {
  const ids = new Set<string>()
  return {
    take(event) {
      const at = referenceTo(event)
      if (!knownTypes.has(event.type)) findings.fail(`"${event.type}" is no type of event`, at)
      if (event.id === '') findings.fail('the event has no id', at)
      else if (ids.has(event.id)) findings.fail(`event ${event.id} is there twice`, at)
      else ids.add(event.id)
      if (Number.isNaN(event.atMs)) findings.fail('the event has no time', at)
      if (!isCanonical(event)) findings.fail('the event is not in canonical form', at)
    },
    end: () => findings.describe(countWords(ids.size, 'event')),
  }
}

function isCanonical({ document, text }: LoggedEvent): boolean {
  try {
    return canonicalJson(document) === text
  } catch {
    return false
  }
}
