import type { RequestKind, RequestState } from '../requests/request.ts'

/** The state of a request in the words that people read. */
export const requestStateWords: Readonly<Record<RequestState, string>> = {
  pending: 'waiting',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  cancelled: 'cancelled',
}

/**
 * The state of a request in a word: a question is answered and an outcome is settled, whatever was
 * chosen, because neither approves anything. Pure.
 */
export function requestStateWord(request: { kind: RequestKind; state: RequestState }): string {
  const { kind, state } = request
  if (kind === 'outcome_check' && (state === 'approved' || state === 'denied')) return 'settled'
  return kind === 'question' && state === 'approved' ? 'answered' : requestStateWords[state]
}
