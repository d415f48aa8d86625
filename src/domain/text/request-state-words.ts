import type { RequestState } from '../requests/request.ts'

/** The state of a request in the words that people read. */
export const requestStateWords: Readonly<Record<RequestState, string>> = {
  pending: 'waiting',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  cancelled: 'cancelled',
}
