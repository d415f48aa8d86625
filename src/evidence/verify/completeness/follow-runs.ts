import { countWords } from '#domain/text/quantities/count-words.ts'
import type { Check, Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'

/** Follows every run: one start, at most one end, everything else in between. */
export function followRuns(findings: Findings, extent: Extent): Check {
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
