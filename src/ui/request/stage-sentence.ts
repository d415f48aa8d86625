import type { DecisionAnswer } from '../../api/schemas/decisions.ts'
import type { QuorumView, RequestDetail } from '../../api/schemas/requests.ts'

/** What is still missing of a quorum: "1 of platform and 2 of security". Pure. */
export function missingText(quorum: QuorumView): string {
  return quorum.missing.map((place) => `${place.count} of ${place.team}`).join(' and ')
}

/**
 * What an approver is told after deciding, never more than is known: recorded, and whether the run goes
 * on or waits for a Temporal worker. `execution` is the newest that the page has heard of. Pure.
 */
export function stageSentence(
  answer: Pick<DecisionAnswer, 'state' | 'stage' | 'quorum'>,
  decision: 'approve' | 'deny',
  request: Pick<RequestDetail, 'execution' | 'kind'>,
): string {
  if (answer.state === 'pending') {
    return `Recorded. It still needs ${missingText(answer.quorum)}.`
  }
  if (request.kind === 'external') return 'Recorded. The program that asked can go on.'
  const moving = request.execution.state !== 'not_started'
  const known = answer.stage !== 'recorded' && (decision === 'deny' || answer.stage !== 'delivered')
  return moving || known
    ? 'Recorded. The run goes on.'
    : 'Recorded. It will go on when a Temporal worker is back.'
}
