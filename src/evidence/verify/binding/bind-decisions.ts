import type { Check } from '../check.ts'
import type { Findings } from '../finding.ts'
import { numberIn, referenceTo, textIn, type LoggedEvent } from '../logged-event.ts'

interface Shown {
  digest: string | null
  revision: number
  factsDigest: string | null
  presentationDigest: string | null
}

/** Holds each decision and each permit against what the request showed in the revision that was current. */
export function bindDecisions(findings: Findings): Check {
  const requests = new Map<string, Shown>()

  function bind(event: LoggedEvent, shown: Shown): void {
    const at = referenceTo(event)
    const revision = numberIn(event.detail, 'revision')
    const named = event.type === 'permit.issued' ? 'the permit is for' : 'the decision names'
    if (revision !== null && revision !== shown.revision) {
      findings.fail(`${named} revision ${revision}, and revision ${shown.revision} was shown`, at)
    }
    if (event.digest !== shown.digest) {
      findings.fail(
        `${named} ${event.digest ?? 'no digest'}, and ${shown.digest ?? 'none'} was shown`,
        at,
      )
    }
    const facts = textIn(event.detail, 'factsDigest')
    if (facts !== null && shown.factsDigest !== null && facts !== shown.factsDigest) {
      findings.fail(`${named} other facts than were shown`, at)
    }
    const seen = textIn(event.detail, 'seen')
    if (seen !== null && shown.presentationDigest !== null && seen !== shown.presentationDigest) {
      findings.fail('what was on the screen is not what the request showed', at)
    }
  }

  return {
    take(event) {
      const { requestId } = event
      if (requestId === null) return
      if (event.type === 'request.opened' || event.type === 'request.revised') {
        requests.set(requestId, {
          digest: event.digest,
          revision: numberIn(event.detail, 'revision') ?? 1,
          factsDigest: textIn(event.detail, 'factsDigest'),
          presentationDigest: textIn(event.detail, 'presentationDigest'),
        })
        return
      }
      const shown = requests.get(requestId)
      if (shown === undefined) return
      if (event.type === 'decision.recorded' || event.type === 'permit.issued') bind(event, shown)
    },
    end: () => undefined,
  }
}
