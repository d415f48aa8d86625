import type { RequestKind } from '../requests/request.ts'

/** What a person does with a request, so that its run goes on. */
export const runNeeds = ['decide', 'answer', 'settle'] as const
export type RunNeed = (typeof runNeeds)[number]

/**
 * What the pending requests of a run need of people: `answer` or `settle` if all of them need that,
 * `decide` otherwise. Pure.
 */
export function needOfRun(waitsFor: readonly { readonly kind?: RequestKind }[]): RunNeed {
  const [first, ...others] = new Set(waitsFor.map(({ kind }) => kind))
  if (others.length > 0) return 'decide'
  if (first === 'question') return 'answer'
  return first === 'outcome_check' ? 'settle' : 'decide'
}
