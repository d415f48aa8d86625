import type { RequestDetail } from '#api/schemas/requests/requests.ts'

type Facts = Pick<RequestDetail, 'state' | 'kind' | 'execution' | 'permit' | 'batch'>

/**
 * Whether the outcome of a request, or the result of its call, can still come. A person who finds
 * out what became of an unknown outcome changes it too, and later. Pure.
 */
export function canChange({ state, kind, execution, permit, batch }: Facts): boolean {
  if (state !== 'approved') return state === 'pending'
  if (kind === 'question') return batch?.finished === false
  const isUsable = permit === 'live' || permit === 'consumed'
  return (execution.state === 'not_started' && isUsable) || execution.state === 'started'
}
