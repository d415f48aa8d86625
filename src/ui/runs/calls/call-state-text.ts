import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'

type CallState = Pick<TranscriptCall, 'verdict' | 'requestState'> & { readonly result?: unknown }

/**
 * What a call of a turn waits for, in words; `null` when it has its result or runs now. Calls with
 * effects keep the model's order (product.md 15), so an approved one may wait for an earlier one
 * that nobody has decided. Pure.
 */
export function callStateText(calls: readonly CallState[], index: number): string | null {
  const call = calls[index]
  if (call === undefined || call.result !== undefined || call.verdict === null) return null
  if (call.requestState === 'pending') return 'waits for a decision'
  const earlier = calls.findIndex(({ result }, at) => at < index && result === undefined)
  if (earlier === -1) return null
  const word = call.requestState === 'approved' ? 'approved, ' : ''
  return `${word}waits for call ${earlier + 1} of this turn`
}
