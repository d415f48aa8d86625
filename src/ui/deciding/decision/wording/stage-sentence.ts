import type { DecisionAnswer } from '#api/schemas/requests/decisions.ts'
import { needSentence } from '#domain/deciding/quorum.ts'
import { type DecisionOutcome, waitsFor } from '#domain/deciding/waits-for.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { RunState } from '#domain/requests/request.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'

/** The state of the call and its turn. */
export type CallNow = Pick<RequestDetail, 'execution' | 'kind' | 'batch' | 'runState' | 'permit'>

/**
 * A reminder or escalation as text: "Escalated to security", or "Escalation to security" while it
 * is planned. Pure.
 */
export function stepWords({ kind, addTeams, takenAt }: RequestDetail['steps'][number]): string {
  const teams = addTeams.join(', ')
  if (takenAt === null) return kind === 'escalate' ? `Escalation to ${teams}` : 'Reminder'
  return kind === 'escalate' ? `Escalated to ${teams}` : 'Reminded'
}

/**
 * Whether the run has acted on a decision or never will: the call has started or has its result, or
 * the run has ended. Pure.
 */
export function hasStarted({ execution, batch, runState }: CallNow): boolean {
  const isEnded = runState !== null && isEnd(runTransitions, runState)
  return isEnded || execution.state !== 'not_started' || batch?.finished === true
}

/** What the run does after the decision, in states in which it does not continue. */
const restingRuns: Readonly<Partial<Record<RunState, string>>> = {
  waiting_for_input: 'The run waits for a message.',
  completed: 'The run has completed.',
  failed: 'The run has failed.',
  cancelled: 'The run was cancelled.',
}

const goesOn = 'Recorded. The run goes on.'

/** What the answer to a decision says without its request. Pure. */
export function sentenceOfAnswer(
  { state, quorum }: Pick<DecisionAnswer, 'state' | 'quorum'>,
  decided: DecisionOutcome,
): string {
  if (state === 'pending') return `Recorded. ${needSentence(quorum)}`
  return `Recorded. It is ${decided === 'approve' ? 'approved' : 'denied'}.`
}

/**
 * The sentence for an approver after deciding, which states only what is known. `isOverdue`:
 * Temporal got the decision some seconds ago, no earlier call is open, and no worker has started
 * it. Pure.
 */
export function stageSentence(
  answer: Pick<DecisionAnswer, 'state' | 'stage' | 'quorum'>,
  decided: DecisionOutcome,
  call: CallNow,
  isOverdue: boolean,
): string {
  if (answer.state === 'pending') return sentenceOfAnswer(answer, decided)
  if (decided === 'approve' && call.permit === 'revoked') {
    return 'Recorded. The approval was revoked since, and nothing is carried out.'
  }
  if (call.kind === 'external')
    return `Recorded. The call ${decided === 'approve' ? 'can be made' : 'is not made, and the program reads why'}.`
  if (call.kind === 'start') {
    return decided === 'approve' ? 'Recorded. The run begins.' : 'Recorded. The run is cancelled.'
  }
  const resting = call.runState === null ? undefined : restingRuns[call.runState]
  if (resting !== undefined && hasStarted(call)) return `Recorded. ${resting}`
  const started = hasStarted(call) || !['recorded', 'delivered'].includes(answer.stage)
  if (!started && answer.stage === 'recorded') {
    return 'Recorded. The run gets the decision as soon as Temporal can be reached.'
  }
  const before = waitsFor(decided, call)
  if (decided === 'stop') {
    return `Recorded. The run waits for a message${before === null ? '' : ` ${before}`}.`
  }
  if (decided === 'approve' && started) return goesOn
  if (before !== null) {
    const then = call.kind === 'attachment' ? 'It is handed over' : 'It is carried out'
    return `Recorded. ${decided === 'approve' ? then : 'The run goes on'} ${before}.`
  }
  if (started) return goesOn
  return isOverdue
    ? 'Recorded. It will go on when a Temporal worker is back.'
    : 'Recorded. The run has the decision, and goes on as soon as it can.'
}
