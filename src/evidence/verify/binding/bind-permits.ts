import { textIn } from '#domain/json/value-in.ts'
import type { Check } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import {
  numberIn,
  referenceTo,
  writtenWithinMs,
  type LoggedEvent,
} from '../findings/logged-event.ts'
import { UsedRights } from './used-right.ts'

interface Permit {
  readonly issued: LoggedEvent
  readonly expiresAt: string
  /** the event that ended it */
  end: LoggedEvent | null
}

export interface PermitBinding extends Check {
  /** by call: the permits that were consumed */
  readonly spent: UsedRights
}

/** Follows every permit: issued once, consumed once, for its digest, and before its end. */
export function bindPermits(findings: Findings): PermitBinding {
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
