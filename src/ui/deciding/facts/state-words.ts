import type { ExecutionView } from '#api/schemas/requests/request-parts.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import type { RunNeed } from '#domain/runs/need-of-run.ts'
import { cancelledWords } from '#domain/text/cancel-reason-words.ts'
import { withCapital } from '#domain/text/readable-name.ts'

/**
 * Why the person cannot decide, answer or settle a request, without the full stop: "You can't
 * decide: you started this run". Pure.
 */
export function whyNotYours(reason: string | null, need: RunNeed): string {
  const why = reason ?? 'you are not in the team of this queue'
  return `You can't ${need}: ${why.replace(/^you can.t (decide|answer|settle): |[.]$/gi, '')}`
}

/** The outcome of a request, as a sentence without its full stop: "Denied by Ilya". Pure. */
export function outcomeOf(
  item: Pick<RequestItem, 'state' | 'kind' | 'decidedBy' | 'cancelReason'>,
): string {
  const by = item.decidedBy === null ? '' : ` by ${item.decidedBy.name}`
  const isSettled = item.kind === 'outcome_check' && /approved|denied/.test(item.state)
  if (isSettled) return `Settled${by}`
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
      return withCapital(cancelledWords(item.cancelReason))
  }
}

/**
 * The outcome of a request and its execution: "Approved by Ilya, ended with exit code 128". Pure.
 */
export function outcomeWithEffect(
  item: Pick<RequestItem, 'state' | 'kind' | 'decidedBy' | 'cancelReason' | 'execution'>,
): string {
  const effect = item.state === 'approved' ? effectWords(item.execution) : null
  return effect === null ? outcomeOf(item) : `${outcomeOf(item)}, ${effect}`
}

/**
 * The tone of an approval's message: never green if the execution failed or its outcome is unknown.
 * Pure.
 */
export function toneOfEffect({ state, exitCode }: ExecutionView): 'good' | 'plain' | 'bad' {
  if (state === 'failed' || state === 'unknown') return 'bad'
  if (state === 'refused' || (exitCode !== undefined && exitCode !== 0)) return 'plain'
  return 'good'
}

/** What became of a call, as the end of a sentence: "carried out"; null: nothing yet. Pure. */
export function effectWords({ state, exitCode }: ExecutionView): string | null {
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
