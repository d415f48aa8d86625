import { randomUUID } from 'node:crypto'
import type { DecisionAnswer } from '../../api/schemas/decisions.ts'
import type { ScopeName } from '../../api/schemas/grants.ts'
import type { RequestDetail } from '../../api/schemas/requests.ts'
import type { Service } from '../service/service.ts'

export interface Choice {
  readonly decision: 'approve' | 'deny'
  readonly scope?: ScopeName
  readonly then?: 'continue' | 'stop'
  readonly reason?: string
  /** all of the presentation was printed, which high risk requires */
  readonly seenAll: boolean
}

/** How long a command waits for the run to hear of the decision before it says "recorded". */
const waitSeconds = 5

/** Sends a decision on exactly what `request` showed: its digest and revision. Rejects with the service's sentence. */
export async function sendDecision(
  service: Service,
  request: RequestDetail,
  choice: Choice,
): Promise<DecisionAnswer> {
  const body = {
    decision: choice.decision,
    digest: request.digest,
    revision: request.revision,
    ...(choice.decision === 'approve' ? { scope: choice.scope ?? 'once' } : {}),
    ...(choice.then === undefined ? {} : { then: choice.then }),
    ...(choice.reason === undefined ? {} : { reason: choice.reason }),
    ...(choice.seenAll && request.risk === 'high' ? { seen: request.presentation.digest } : {}),
  }
  return service.post(`/v1/requests/${request.id}/decisions`, body, {
    'idempotency-key': randomUUID(),
    prefer: `wait=${waitSeconds}`,
  })
}

/** What became of a decision, in one sentence. */
export function outcomeSentence(answer: DecisionAnswer): string {
  if (answer.state === 'pending') return `Recorded. Still needed: ${answer.quorum.text}.`
  switch (answer.stage) {
    case 'recorded':
      return 'Recorded. It will go on when a Temporal worker is back.'
    case 'delivered':
    case 'started':
      return 'Recorded. The run goes on.'
    default:
      return `Recorded. Execution: ${answer.stage}.`
  }
}
