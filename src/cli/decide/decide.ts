import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { DecisionAnswer } from '#api/schemas/requests/decisions.ts'
import type { ScopeName } from '#api/schemas/policy/grants.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { waitsFor, type BatchNow, type DecisionOutcome } from '#domain/deciding/waits-for.ts'
import { needSentence } from '#domain/deciding/quorum.ts'
import { executionSentence } from '#domain/requests/execution-sentence.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { type Service, ServiceProblem } from '../service/service.ts'
import { printableLine } from '../text/terminal-text.ts'
import { whereToSign } from './needs-passkey.ts'

export interface Choice {
  readonly decision: 'approve' | 'deny'
  readonly scope?: ScopeName
  readonly then?: 'continue' | 'stop'
  readonly reason?: string
  /** limits of a scope wider than `once` */
  readonly grant?: { readonly uses?: number; readonly expiresAt?: string }
  /** the person knows that the same call was carried out before */
  readonly again?: boolean
  /** all of the presentation was printed, which high risk requires */
  readonly seenAll: boolean
}

/** How long a command waits for the delivery of a decision before it prints "recorded". */
const waitSeconds = 5

/** A decision that is sent twice counts once, so a lost answer is requested again. */
const attempts = 3
const betweenMs = 500

/**
 * Sends a decision about exactly the digest and revision that `request` showed. Rejects with a
 * sentence that says what to do.
 */
export async function sendDecision(
  service: Service,
  request: RequestDetail,
  choice: Choice,
): Promise<DecisionAnswer> {
  const elsewhere = choice.decision === 'approve' ? whereToSign(service, request) : null
  if (elsewhere !== null) throw new CommandFailure(elsewhere)
  const body = {
    decision: choice.decision,
    digest: request.digest,
    revision: request.revision,
    ...(choice.decision === 'approve' ? { scope: choice.scope ?? 'once' } : {}),
    ...(choice.then === undefined ? {} : { then: choice.then }),
    ...(choice.reason === undefined ? {} : { reason: choice.reason }),
    ...(choice.grant === undefined ? {} : { grant: choice.grant }),
    ...(choice.again === true ? { again: true as const } : {}),
    ...(choice.seenAll && request.risk === 'high' ? { seen: request.presentation.digest } : {}),
  }
  const params = { id: request.id }
  const sending = { idempotencyKey: randomUUID(), preferWaitSeconds: waitSeconds }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await service.call('decideRequest', { params, body, ...sending })
    } catch (error) {
      if (error instanceof ServiceProblem) throw new CommandFailure(refusalSentence(request, error))
      if (attempt < attempts) {
        await delay(attempt * betweenMs)
        continue
      }
      throw new CommandFailure(
        `No answer: the decision may or may not have arrived. When the service is back: countersign requests show ${request.number}`,
        exitCodes.failed,
        { cause: error },
      )
    }
  }
}

/** A refusal, and what to do about it. The attempt changed nothing. */
function refusalSentence({ number }: RequestDetail, problem: ServiceProblem): string {
  switch (problem.code) {
    case 'stale_digest':
    case 'stale_revision':
      return `${problem.message}. Nothing was decided. Review it again, and decide with the digest that you then see: countersign requests show ${number}`
    case 'already_decided':
      return `${problem.message}${reasonSuffix(problem)}. Nothing was changed.`
    case 'not_displayed':
      return `${problem.message}. At high risk, all of it must be shown first; if the terminal cannot show it, decide in the dashboard.`
    case 'again_required':
      return `${problem.message}: add --again`
    case 'reason_required':
      return `${problem.message}: add -m REASON`
    default:
      return problem.message
  }
}

function reasonSuffix({ facts }: ServiceProblem): string {
  const { reason } = facts
  return typeof reason === 'string' && reason !== '' ? `, because: ${printableLine(reason)}` : ''
}

/** What was decided, as far as the sentence depends on it. */
export function decisionOutcome({
  decision,
  then,
}: Pick<Choice, 'decision' | 'then'>): DecisionOutcome {
  return decision === 'deny' && then === 'stop' ? 'stop' : decision
}

/**
 * The request after the decision: calls of its turn may have been decided since it was shown. Where
 * it cannot be read again, the request that was shown.
 */
export async function readAgain(service: Service, request: RequestDetail): Promise<RequestDetail> {
  try {
    return await service.call('getRequest', { params: { id: request.id } })
  } catch {
    return request
  }
}

/** The state of a decision, in one sentence. `request`: as it is after the decision. Pure. */
export function outcomeSentence(
  answer: DecisionAnswer,
  decided: DecisionOutcome,
  { kind, batch }: Pick<RequestDetail, 'kind'> & { readonly batch: BatchNow | null },
): string {
  if (answer.state === 'pending') return `Recorded. ${printableLine(needSentence(answer.quorum))}`
  if (kind === 'external')
    return `Recorded. The call ${answer.state === 'denied' ? 'is not made, and the program reads why' : 'can be made'}.`
  if (kind === 'start') {
    return `Recorded. The run ${answer.state === 'denied' ? 'is cancelled' : 'begins'}.`
  }
  const before = waitsFor(decided, { batch })
  if (decided === 'stop')
    return `Recorded. The run stops and waits for a message${before === null ? '' : ` ${before}`}.`
  if (answer.stage === 'recorded') {
    return 'Recorded. The run gets the decision as soon as Temporal can be reached.'
  }
  const effect = executionSentence(answer.execution, { state: answer.state, kind })
  if (answer.execution.state !== 'not_started' && effect !== null) return `Recorded. ${effect}`
  if (before !== null) {
    const then = kind === 'attachment' ? 'It is handed over' : 'It is carried out'
    return `Recorded. ${decided === 'approve' ? then : 'The run goes on'} ${before}.`
  }
  // The call had some seconds to begin, so it may wait for a worker.
  return 'Recorded. The run has the decision, and goes on as soon as it can.'
}
