import type { DecisionAnswer } from '#api/schemas/requests/decisions.ts'
import { missingText } from '#domain/deciding/quorum.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'

/** The decision, as far as its result depends on it. */
export type DecisionOutcome = 'approve' | 'deny' | 'stop'

/** The state of the call and its turn. */
export type CallNow = Pick<RequestDetail, 'execution' | 'kind' | 'batch'>

/**
 * A reminder or escalation as text: "Escalated to security", or "Escalation to security" while it
 * is planned. Pure.
 */
export function stepWords({ kind, addTeams, takenAt }: RequestDetail['steps'][number]): string {
  const teams = addTeams.join(', ')
  if (takenAt === null) return kind === 'escalate' ? `Escalation to ${teams}` : 'Reminder'
  return kind === 'escalate' ? `Escalated to ${teams}` : 'Reminded'
}

/** Whether the run has acted on a decision: the call has started or has its result. Pure. */
export function hasStarted({ execution, batch }: CallNow): boolean {
  return execution.state !== 'not_started' || batch?.finished === true
}

/**
 * The earlier call of its turn that the decision waits for, as the end of a sentence; `null`: none.
 * Calls run in the model's order, and the model continues once all have results. Pure.
 */
export function waitsFor(decided: DecisionOutcome, { batch }: CallNow): string | null {
  if (batch === null) return null
  const open = batch.siblings.filter((sibling) => !sibling.finished)
  const earlier = batch.siblings.slice(0, batch.position - 1).filter((sibling) => !sibling.finished)
  const pendingClause = 'which still waits for a decision'
  if (earlier.some((sibling) => sibling.state === 'pending')) {
    return `after an earlier call of its turn, ${pendingClause}`
  }
  if (earlier.length > 0) return 'after an earlier call of its turn'
  if (decided === 'deny' && open.some((sibling) => sibling.state === 'pending')) {
    return `after another call of its turn, ${pendingClause}`
  }
  return null
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
  if (answer.state === 'pending') {
    return `Recorded. It still needs ${missingText(answer.quorum)}.`
  }
  if (call.kind === 'external')
    return `Recorded. The call ${decided === 'approve' ? 'can be made' : 'is not made, and the program reads why'}.`
  if (call.kind === 'start') {
    return decided === 'approve' ? 'Recorded. The run begins.' : 'Recorded. The run is cancelled.'
  }
  if (call.kind === 'attachment' && decided === 'approve' && !hasStarted(call)) {
    return 'Recorded. It is handed over when the whole delegation is approved.'
  }
  const started = hasStarted(call) || !['recorded', 'delivered'].includes(answer.stage)
  if (!started && answer.stage === 'recorded') {
    return 'Recorded. The run gets the decision as soon as Temporal can be reached.'
  }
  const before = waitsFor(decided, call)
  if (decided === 'stop') {
    return `Recorded. The run waits for a message${before === null ? '' : ` ${before}`}.`
  }
  if (decided === 'approve' && started) return 'Recorded. The run goes on.'
  if (before !== null) {
    return `Recorded. ${decided === 'approve' ? 'It is carried out' : 'The run goes on'} ${before}.`
  }
  return started || !isOverdue
    ? 'Recorded. The run goes on.'
    : 'Recorded. It will go on when a Temporal worker is back.'
}
