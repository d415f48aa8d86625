import { textIn } from '#domain/json/value-in.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Check, Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import {
  numberIn,
  objectIn,
  objectsIn,
  referenceTo,
  writtenWithinMs,
  type LoggedEvent,
} from '../findings/logged-event.ts'
import { UsedRights } from './used-right.ts'

interface Grant {
  readonly event: LoggedEvent
  uses: number
  /** the event that ended it */
  end: LoggedEvent | null
}

export interface GrantBinding extends Check {
  /** by call: the uses of grants that were taken */
  readonly spent: UsedRights
}

/** Follows every grant: uses within its time, and no more than it allows. */
export function bindGrants(findings: Findings, { isWhole }: Extent): GrantBinding {
  const grants = new Map<string, Grant>()
  const spent = new UsedRights()
  /** by request and person: the approvals of the current revision */
  const approvals = new Map<string, Map<string | null, LoggedEvent>>()
  /** by request: those that its newest permit counts, which a grant was given with */
  const countedApprovals = new Map<string, readonly LoggedEvent[]>()

  function use(event: LoggedEvent, grantId: string): void {
    const at = referenceTo(event)
    const grant = grants.get(grantId)
    if (event.callId !== null) spent.add(event.callId, event)
    if (grant === undefined) {
      findings.cannotJudge(`grant ${grantId} was used, and its giving is not among the events`, at)
      return
    }
    grant.uses += 1
    judgeUse(findings, event, grant)
  }

  function give(event: LoggedEvent, grantId: string): void {
    const at = referenceTo(event)
    if (grants.has(grantId)) findings.fail('the grant was given before', at)
    grants.set(grantId, { event, uses: 0, end: null })
    // A bundle of another call that the grant covers has no approvals.
    for (const { detail, index } of countedApprovals.get(event.requestId ?? '') ?? []) {
      for (const what of widerThan(event.detail, detail)) {
        findings.fail(`the grant is wider in ${what} than the approval of event ${index}`, at)
      }
    }
  }

  function addApprovals(event: LoggedEvent): void {
    const { detail, requestId, type } = event
    if (requestId === null) return
    const own = approvals.get(requestId) ?? new Map<string | null, LoggedEvent>()
    approvals.set(requestId, own)
    if (type === 'request.revised') own.clear()
    else if (type === 'decision.recorded' && textIn(detail, 'decision') === 'approve') {
      own.set(event.actor.id, event)
    } else if (type === 'permit.issued') {
      const ids = objectsIn(detail, 'counted').map((vote) => textIn(vote, 'personId'))
      countedApprovals.set(
        requestId,
        ids.flatMap((id) => own.get(id) ?? []),
      )
    }
  }

  return {
    take(event) {
      addApprovals(event)
      const grantId = textIn(event.detail, 'grantId')
      if (grantId === null) return
      if (event.type === 'grant.given') give(event, grantId)
      else if (event.type === 'grant.used') use(event, grantId)
      else if (event.type === 'grant.revoked' || event.type === 'grant.ended') {
        const grant = grants.get(grantId)
        if (grant !== undefined) grant.end ??= event
      }
    },
    spent,
    end() {
      // A bundle has the uses of a grant by other calls, so that they can be counted, but not their
      // attempts.
      if (isWhole) spent.failRest(findings, 'a grant was used, and nothing was started by it')
    },
  }
}

/** Whether the newest use of a grant is within its end, its number of uses and its digest. */
function judgeUse(findings: Findings, event: LoggedEvent, grant: Grant): void {
  const at = referenceTo(event)
  const { event: grantEvent, end } = grant
  const maxUses = numberIn(grantEvent.detail, 'uses')
  const expiresAt = textIn(grantEvent.detail, 'expiresAt')
  if (end !== null) findings.fail(`the grant had ended with event ${end.index} (${end.type})`, at)
  if (maxUses !== null && grant.uses > maxUses)
    findings.fail(`the grant allows ${maxUses} uses`, at)
  if (numberIn(event.detail, 'uses') !== grant.uses) {
    findings.fail(`this is use ${grant.uses} of the grant, and it says otherwise`, at)
  }
  if (expiresAt !== null && !(event.atMs < Date.parse(expiresAt) + writtenWithinMs)) {
    findings.fail(`the grant expired at ${expiresAt}`, at)
  }
  if (textIn(grantEvent.detail, 'scope') === 'run' && event.digest !== grantEvent.digest) {
    findings.fail(`the grant of event ${grantEvent.index} is for another digest`, at)
  }
}

/**
 * In what a grant reaches further than the approval that gave it. Approvals of earlier versions do
 * not say their bounds.
 */
function widerThan(grant: JsonObject, approval: JsonObject): string[] {
  const bounds = objectIn(approval, 'grant')
  const [uses, maxUses] = [numberIn(grant, 'uses'), numberIn(bounds, 'uses')]
  const [end, lastEnd] = [textIn(grant, 'expiresAt'), textIn(bounds, 'expiresAt')]
  return [
    ...(textIn(grant, 'scope') === textIn(approval, 'scope') ? [] : ['scope']),
    ...(maxUses !== null && (uses === null || uses > maxUses) ? ['uses'] : []),
    ...(lastEnd !== null && (end === null || Date.parse(end) > Date.parse(lastEnd))
      ? ['expiresAt']
      : []),
  ]
}
