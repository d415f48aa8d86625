import type { RequestState } from '../requests/request.ts'

/** The decision, as far as its result depends on it. */
export type DecisionOutcome = 'approve' | 'deny' | 'stop'

/** The calls of the turn, and the other requests of the delegation. */
export interface BatchNow {
  /** place of the call in its turn, from 1 */
  readonly position: number
  readonly otherRequests: number
  /** the other calls of the turn, also those without a request, in call order */
  readonly siblings: readonly { readonly finished: boolean; readonly state: RequestState | null }[]
}

/**
 * The decision that the call waits for, or the earlier call of its turn, as the end of a sentence;
 * `null`: none. Calls run in the model's order, and the model continues once all have results.
 * Pure.
 */
export function waitsFor(
  decided: DecisionOutcome,
  { batch }: { readonly batch: BatchNow | null },
): string | null {
  if (batch === null) return null
  if (decided === 'approve' && batch.otherRequests > 0) {
    return batch.otherRequests === 1
      ? 'when the other request of its delegation is approved too'
      : `when the ${batch.otherRequests} other requests of its delegation are approved too`
  }
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
