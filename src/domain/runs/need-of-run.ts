import type { RequestKind } from '../requests/request.ts'

/** What a person does with a request, so that its run goes on. */
export const runNeeds = ['decide', 'answer', 'settle'] as const
export type RunNeed = (typeof runNeeds)[number]

/** What a run or a request waits for, after "waits for". */
export const waitedFor: Readonly<Record<RunNeed, string>> = {
  decide: 'a decision',
  answer: 'an answer',
  settle: 'an outcome check',
}

/** A run with the requests that it and the runs below it wait for, as far as a viewer sees them. */
export interface WaitingRun {
  readonly id: string
  readonly pendingRequests: number
  readonly waitsFor: readonly { readonly runId: string; readonly kind?: RequestKind }[]
}

/**
 * What the pending requests of the run itself need. `decide` where the viewer does not see all of
 * them. Pure.
 */
export function needOfRun({ id, pendingRequests, waitsFor }: WaitingRun): RunNeed {
  const own = waitsFor.filter(({ runId }) => runId === id)
  return own.length < pendingRequests ? 'decide' : needOfRequests(own)
}

/** What requests need of people: `answer` or `settle` if all need that, else `decide`. */
export function needOfRequests(requests: readonly { readonly kind?: RequestKind }[]): RunNeed {
  const [first, ...others] = new Set(requests.map(({ kind }) => kind))
  if (others.length > 0) return 'decide'
  if (first === 'question') return 'answer'
  return first === 'outcome_check' ? 'settle' : 'decide'
}
