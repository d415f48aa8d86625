import type { ExecutionState, RequestState } from '../requests/request.ts'

/** The outcome of a request that is like another one. */
export interface AlikeOutcome {
  readonly state: RequestState
  readonly execution: { readonly state: ExecutionState }
  readonly decidedBy: string | null
}

/** The outcome without time or number, such as "carried out, approved by Grace". Pure. */
export function alikeWords({ state, execution, decidedBy }: AlikeOutcome): string {
  const by = decidedBy === null ? '' : ` by ${decidedBy}`
  if (state === 'pending') return 'waits too'
  if (state === 'denied') return `denied${by}`
  if (state !== 'approved') return `${state}, not carried out`
  const approved = decidedBy === null ? 'allowed without a person' : `approved${by}`
  return `${effectWords[execution.state]}, ${approved}`
}

const effectWords: Readonly<Record<ExecutionState, string>> = {
  not_started: 'not carried out yet',
  started: 'being carried out',
  succeeded: 'carried out',
  failed: 'carried out and failed',
  refused: 'not carried out',
  unknown: 'perhaps carried out, the outcome is unknown',
}

/** How often the same call was carried out: "carried out 3 times before"; `null`: never. */
export function againWords(again: number): string | null {
  if (again === 0) return null
  return `carried out ${again === 1 ? 'once' : `${again} times`} before`
}

/** The same as a sentence without its full stop. Pure. */
export function againSentence(again: number): string | null {
  const words = againWords(again)
  return words === null ? null : `This very call was ${words}`
}
