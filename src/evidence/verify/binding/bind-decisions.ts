import { textIn } from '#domain/json/value-in.ts'
import type { Check } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { numberIn, referenceTo, type LoggedEvent } from '../findings/logged-event.ts'

interface DisplayedRevision {
  digest: string | null
  revision: number
  factsDigest: string | null
  presentationDigest: string | null
}

/** Compares decisions and permits with the presentation of the current revision. */
export function bindDecisions(findings: Findings): Check {
  const requests = new Map<string, DisplayedRevision>()

  function bind(event: LoggedEvent, shownRevision: DisplayedRevision): void {
    const at = referenceTo(event)
    const revision = numberIn(event.detail, 'revision')
    const subject = event.type === 'permit.issued' ? 'the permit is for' : 'the decision names'
    if (revision !== null && revision !== shownRevision.revision) {
      findings.fail(
        `${subject} revision ${revision}, and revision ${shownRevision.revision} was shown`,
        at,
      )
    }
    if (event.digest !== shownRevision.digest) {
      findings.fail(
        `${subject} ${event.digest ?? 'no digest'}, and ${shownRevision.digest ?? 'none'} was shown`,
        at,
      )
    }
    const facts = textIn(event.detail, 'factsDigest')
    if (
      facts !== null &&
      shownRevision.factsDigest !== null &&
      facts !== shownRevision.factsDigest
    ) {
      findings.fail(`${subject} other facts than were shown`, at)
    }
    const screenDigest = textIn(event.detail, 'seen')
    if (
      screenDigest !== null &&
      shownRevision.presentationDigest !== null &&
      screenDigest !== shownRevision.presentationDigest
    ) {
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
      const shownRevision = requests.get(requestId)
      if (shownRevision === undefined) return
      if (event.type === 'decision.recorded' || event.type === 'permit.issued')
        bind(event, shownRevision)
    },
    end: () => undefined,
  }
}
