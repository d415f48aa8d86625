import { textIn } from '#domain/json/value-in.ts'
import type { Check, Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { bindGrants } from './bind-grants.ts'
import { bindPermits } from './bind-permits.ts'
import { numberIn, referenceTo, type LoggedEvent } from '../findings/logged-event.ts'
import type { UsedRight } from './used-right.ts'

/** Compares each execution with its right, and its end with its beginning. */
export function bindExecutions(findings: Findings, extent: Extent): Check {
  const permits = bindPermits(findings)
  const grants = bindGrants(findings, extent)
  const verdicts = new Map<string, LoggedEvent>()
  const started = new Map<string, { digest: string | null; index: number | null }>()
  const counts: Record<string, number> = { permit: 0, grant: 0, policy: 0 }

  function start(event: LoggedEvent, callId: string): void {
    const at = referenceTo(event)
    const attempt = `${callId} ${numberIn(event.detail, 'attempt') ?? ''}`
    const before = started.get(attempt)
    if (before !== undefined)
      findings.fail(`this attempt was started with event ${before.index}`, at)
    started.set(attempt, { digest: event.digest, index: event.index })
    const by = textIn(event.detail, 'by') ?? ''
    if (Object.hasOwn(counts, by)) counts[by] = (counts[by] ?? 0) + 1
    if (by === 'policy') byPolicy(event, callId)
    else if (by === 'permit') byRight(event, permits.spent.take(callId), 'permit')
    else if (by === 'grant') byRight(event, grants.spent.take(callId), 'grant')
    else findings.fail(`nothing says by what right it was started`, at)
  }

  function byPolicy(event: LoggedEvent, callId: string): void {
    const verdict = verdicts.get(callId)
    const at = referenceTo(event)
    if (verdict === undefined) findings.fail('it ran by policy, and no verdict of it is there', at)
    else if (textIn(verdict.detail, 'verdict') !== 'preApproved') {
      const verdictText = textIn(verdict.detail, 'verdict') ?? 'nothing'
      findings.fail(
        `it ran by policy, whose verdict was ${verdictText} in event ${verdict.index}`,
        at,
      )
    } else if (verdict.digest !== event.digest) {
      findings.fail(`what ran is not what policy had judged with event ${verdict.index}`, at)
    }
  }

  function byRight(event: LoggedEvent, used: UsedRight | null, right: string): void {
    const at = referenceTo(event)
    if (used === null) findings.fail(`it ran by a ${right}, and no use of one is there`, at)
    else if (used.digest !== event.digest) {
      const problem = `${event.digest ?? 'nothing'} ran, and ${used.digest ?? 'nothing'} was approved`
      findings.fail(`${problem} (event ${used.event.index})`, at)
    }
  }

  function finish(event: LoggedEvent, callId: string): void {
    const beginning = started.get(`${callId} ${numberIn(event.detail, 'attempt') ?? ''}`)
    if (beginning === undefined || event.digest === null || beginning.digest === event.digest)
      return
    findings.fail(`what ended is not what event ${beginning.index} had started`, referenceTo(event))
  }

  return {
    take(event) {
      permits.take(event)
      grants.take(event)
      const { callId, type } = event
      if (callId === null) return
      if (type === 'call.judged') verdicts.set(callId, event)
      else if (type === 'execution.started') start(event, callId)
      else if (type === 'execution.finished') finish(event, callId)
    },
    end() {
      permits.end()
      grants.end()
      const by = Object.entries(counts).map(([right, count]) => `${count} by ${right}`)
      findings.describe(`executions: ${by.join(', ')}`)
    },
  }
}
