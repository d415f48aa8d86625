import type { ExecutionView } from '#api/schemas/requests/request-parts.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'

type CancelReason = NonNullable<RequestItem['cancelReason']>

const cancelled: Record<CancelReason, string> = {
  run_cancelled: 'its run was cancelled',
  run_failed: 'its run failed',
  workflow_lost: 'its workflow was lost',
  sibling_denied: 'an earlier call of the turn was denied and the run stopped',
  superseded: 'a newer request took its place',
  withdrawn: 'the program withdrew it',
  settled: 'the outcome became known',
  delegation_denied: 'another part of the same delegation was not approved',
}

/**
 * Why the viewer cannot decide, as a sentence that begins with it: "You can't decide: you started
 * this run". Pure.
 */
export function whyNotYours(reason: string | null): string {
  const why = (reason ?? 'you are not in the team of this queue').replace(/[.]$/, '')
  return /^you can.t decide/i.test(why) ? `Y${why.slice(1)}` : `You can't decide: ${why}`
}

/** What became of a request, as a sentence without its full stop: "Denied by Ilya". Pure. */
export function outcomeOf(
  item: Pick<RequestItem, 'state' | 'kind' | 'decidedBy' | 'cancelReason'>,
): string {
  const by = item.decidedBy === null ? '' : ` by ${item.decidedBy.name}`
  switch (item.state) {
    case 'pending':
      return 'Waiting'
    case 'approved':
      return `${item.kind === 'question' ? 'Answered' : 'Approved'}${by}`
    case 'denied':
      return `Denied${by}`
    case 'expired':
      return 'Expired: nobody decided in time'
    case 'cancelled':
      return item.cancelReason === null ? 'Cancelled' : `Cancelled: ${cancelled[item.cancelReason]}`
  }
}

/**
 * What became of a request and of its effect, in a few words: "Approved by Ilya, ended with exit
 * code 128". Pure.
 */
export function outcomeWithEffect(
  item: Pick<RequestItem, 'state' | 'kind' | 'decidedBy' | 'cancelReason' | 'execution'>,
): string {
  const effect = item.state === 'approved' ? effectWords(item.execution) : null
  return effect === null ? outcomeOf(item) : `${outcomeOf(item)}, ${effect}`
}

/**
 * How an approval's notice is drawn: nothing is green whose effect is unknown, failed or said to
 * have failed. Pure.
 */
export function toneOfEffect({ state, exitCode }: ExecutionView): 'good' | 'plain' | 'bad' {
  if (state === 'failed' || state === 'unknown') return 'bad'
  if (state === 'refused' || (exitCode !== undefined && exitCode !== 0)) return 'plain'
  return 'good'
}

function effectWords({ state, exitCode }: ExecutionView): string | null {
  switch (state) {
    case 'not_started':
      return null
    case 'started':
      return 'being carried out'
    case 'succeeded':
      return exitCode === undefined ? 'carried out' : `ended with exit code ${exitCode}`
    case 'failed':
      return exitCode === undefined ? 'failed' : `failed with exit code ${exitCode}`
    case 'refused':
      return 'not carried out'
    case 'unknown':
      return 'outcome unknown'
  }
}

const refusals: Readonly<Record<string, string>> = {
  stale: 'the file changed after the approval, so a new request was opened',
  lapsed: 'the approval lapsed before the call could run, so a new request was opened',
  blocked: 'policy now blocks it',
  revoked: 'the approval was revoked',
  invalid_permit: 'its permit did not verify',
  invalid_statement: "the run's signed statement did not verify",
  unsigned: 'it has no signature',
}

/**
 * What happened to the effect, as a sentence. `null` while nothing was approved, and for a
 * question. Pure.
 */
export function executionSentence(
  execution: ExecutionView,
  {
    state,
    kind,
    permit,
  }: Pick<RequestItem, 'state' | 'kind'> & Partial<Pick<RequestItem, 'permit'>>,
): string | null {
  const exit = execution.exitCode === undefined ? '' : ` with exit code ${execution.exitCode}`
  switch (execution.state) {
    case 'not_started':
      if (permit === 'revoked') return 'The approval was revoked: it is not carried out.'
      if (kind === 'start') return state === 'approved' ? 'Approved: the run has begun.' : null
      return state === 'approved' && kind !== 'question' ? 'Approved, not yet carried out.' : null
    case 'started':
      if (kind === 'external')
        return 'The program took its permit, and has not reported an outcome.'
      return 'It is being carried out now.'
    case 'succeeded':
      if (kind === 'external') return 'The program says that it was carried out.'
      if (execution.exitCode !== undefined && execution.exitCode !== 0) {
        return `It ran and ended${exit}, with which most programs report a failure.`
      }
      return `Carried out${exit}.`
    case 'failed':
      if (kind === 'external') return 'The program says that it failed.'
      return execution.reason ? `It failed${exit}: ${execution.reason}.` : `It failed${exit}.`
    case 'refused': {
      const why = execution.reason ?? ''
      return `It was not carried out: ${Object.hasOwn(refusals, why) ? refusals[why] : why || 'refused'}.`
    }
    case 'unknown':
      if (kind === 'external') return 'The program does not know whether it took effect.'
      return 'It was started, and nobody knows whether it took effect. A person has to check.'
  }
}
