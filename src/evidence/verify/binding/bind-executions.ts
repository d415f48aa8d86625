import { textIn } from '#domain/json/value-in.ts'
import type { Check, Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { bindGrants } from './bind-grants.ts'
import {
  numberIn,
  referenceTo,
  type LoggedEvent,
  writtenWithinMs,
} from '../findings/logged-event.ts'
import { type UsedRight, UsedRights } from './used-right.ts'

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

interface Permit {
  readonly issued: LoggedEvent
  readonly expiresAt: string
  /** the event that ended it */
  end: LoggedEvent | null
}

interface PermitBinding extends Check {
  /** by call: the permits that were consumed */
  readonly spent: UsedRights
}

/** Follows every permit: issued once, consumed once, for its digest, and before its end. */
function bindPermits(findings: Findings): PermitBinding {
  const permits = new Map<string, Permit>()
  const spent = new UsedRights()

  function issue(event: LoggedEvent, permitId: string): void {
    if (permits.has(permitId)) findings.fail('the permit was issued before', referenceTo(event))
    const expiresAt = textIn(event.detail, 'expiresAt') ?? ''
    permits.set(permitId, { issued: event, expiresAt, end: null })
  }

  function consume(event: LoggedEvent, permitId: string): void {
    const at = referenceTo(event)
    const permit = permits.get(permitId)
    if (event.callId !== null && event.detail['attachment'] !== true) {
      spent.add(event.callId, event)
    }
    if (permit === undefined) {
      findings.fail(`permit ${permitId} was consumed, and nothing says that it was issued`, at)
      return
    }
    const { issued, end, expiresAt } = permit
    if (end !== null)
      findings.fail(`the permit had ended with event ${end.index} (${end.type})`, at)
    if (event.digest !== issued.digest) {
      findings.fail(`the permit of event ${issued.index} is for another digest`, at)
    }
    if (!(event.atMs < Date.parse(expiresAt) + writtenWithinMs))
      findings.fail(`the permit expired at ${expiresAt}`, at)
    if (event.callId !== issued.callId || event.requestId !== issued.requestId) {
      findings.fail(`the permit of event ${issued.index} is for another call`, at)
    }
    const attempt = numberIn(event.detail, 'attempt')
    if (attempt !== null && attempt !== numberIn(issued.detail, 'attempt')) {
      findings.fail(`the permit of event ${issued.index} is for another attempt`, at)
    }
    permit.end = event
  }

  return {
    take(event) {
      const permitId = textIn(event.detail, 'permitId')
      if (permitId === null) return
      if (event.type === 'permit.issued') issue(event, permitId)
      else if (event.type === 'permit.consumed') consume(event, permitId)
      else if (event.type === 'permit.revoked') {
        const permit = permits.get(permitId)
        if (permit !== undefined) permit.end ??= event
      }
    },
    spent,
    end() {
      spent.failRest(findings, 'a permit was consumed, and nothing was started by it')
    },
  }
}
