import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'

type CallState = Pick<TranscriptCall, 'verdict' | 'requestState' | 'outcomeCheck'> & {
  readonly result?: unknown
}

/**
 * What a call of a turn waits for, as text; `null` if it has its result or runs. Calls with effects
 * keep the order of the model (product.md 15), so that an approved call may wait for an earlier
 * one. Pure.
 */
export function callStateText(calls: readonly CallState[], index: number): string | null {
  const call = calls[index]
  if (call === undefined || call.result !== undefined || call.verdict === null) return null
  if (call.requestState === 'pending') return 'waits for a decision'
  if (call.outcomeCheck !== undefined) return 'nobody knows whether it took effect'
  const earlier = calls.findIndex(({ result }, at) => at < index && result === undefined)
  if (earlier === -1) return null
  const word = call.requestState === 'approved' ? 'approved, ' : ''
  return `${word}waits for call ${earlier + 1} of this turn`
}
