import type { Check, Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { numberIn, referenceTo, textIn, type LoggedEvent } from '../findings/logged-event.ts'
import type { UsedRight } from './used-right.ts'

/** A grant's end is compared when a use is taken; the event of that has a slightly later time. */
const writtenWithinMs = 60_000

interface Grant {
  readonly event: LoggedEvent
  uses: number
  /** the event that ended it */
  end: LoggedEvent | null
}

export interface GrantBinding extends Check {
  /**
   * The use of a grant that was taken for this call and not used for an attempt yet; asking
   * consumes it.
   */
  spentBy(callId: string): UsedRight | null
}

/**
 * Follows every grant: its uses are after its beginning, before its end, and no more than it
 * allows.
 */
export function bindGrants(findings: Findings, { whole }: Extent): GrantBinding {
  const grants = new Map<string, Grant>()
  const spent = new Map<string, UsedRight>()

  function use(event: LoggedEvent, grantId: string): void {
    const at = referenceTo(event)
    const grant = grants.get(grantId)
    if (event.callId !== null) spent.set(event.callId, { digest: event.digest, event })
    if (grant === undefined) {
      findings.cannotJudge(`grant ${grantId} was used, and its giving is not among the events`, at)
      return
    }
    grant.uses += 1
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

  return {
    take(event) {
      const grantId = textIn(event.detail, 'grantId')
      if (grantId === null) return
      if (event.type === 'grant.given') {
        if (grants.has(grantId)) findings.fail('the grant was given before', referenceTo(event))
        grants.set(grantId, { event, uses: 0, end: null })
      } else if (event.type === 'grant.used') use(event, grantId)
      else if (event.type === 'grant.revoked' || event.type === 'grant.ended') {
        const grant = grants.get(grantId)
        if (grant !== undefined) grant.end ??= event
      }
    },
    spentBy(callId) {
      const right = spent.get(callId) ?? null
      spent.delete(callId)
      return right
    },
    end() {
      // A bundle has the uses of a grant by other calls, so that they can be counted, but not their
      // attempts.
      if (!whole) return
      for (const { event } of spent.values()) {
        findings.fail('a grant was used, and nothing was started by it', referenceTo(event))
      }
    },
  }
}
