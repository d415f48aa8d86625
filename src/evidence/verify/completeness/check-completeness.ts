import { auditEventTypes } from '#domain/audit-event.ts'
import { canonicalJson } from '#domain/json/digest.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { Check, Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import type { LogClock } from '../findings/log-clock.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'
import { followExecutions } from './follow-executions.ts'
import { followRequests } from './follow-requests.ts'
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

/** Follows every run: one start, at most one end, everything else in between. */
function followRuns(findings: Findings, extent: Extent): Check {
  const started = new Set<string>()
  const ends = new Map<string, number | null>()

  function begin(event: LoggedEvent, runId: string): void {
    if (started.has(runId)) findings.fail('the run was started before', referenceTo(event))
    if (ends.has(runId)) findings.fail('the run had ended before it started', referenceTo(event))
    started.add(runId)
  }

  function finish(event: LoggedEvent, runId: string): void {
    const before = ends.get(runId)
    if (before === undefined) ends.set(runId, event.index)
    else findings.fail(`the run had ended with event ${before}`, referenceTo(event))
  }

  function act(event: LoggedEvent, runId: string): void {
    if (!started.has(runId)) {
      const problem = `the start of run ${runId} is not in the log`
      if (extent.isWhole) findings.fail(problem, referenceTo(event))
      else findings.cannotJudge(problem, referenceTo(event))
      // Reported once.
      started.add(runId)
    }
    const end = ends.get(runId)
    if (end !== undefined) findings.fail(`the run had ended with event ${end}`, referenceTo(event))
  }

  return {
    take(event) {
      const { runId, type } = event
      if (runId === null) return
      if (type === 'run.started') begin(event, runId)
      else if (type === 'run.ended' || type === 'run.cancelled') finish(event, runId)
      else if (type === 'request.opened' || type === 'execution.started') act(event, runId)
    },
    end: () => findings.describe(`${countWords(started.size, 'run')}, ${ends.size} of them ended`),
  }
}
