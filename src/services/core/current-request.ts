import { AsyncLocalStorage } from 'node:async_hooks'

/** The HTTP request that this process answers, for logs and traces at any depth. */
export interface CurrentRequest {
  readonly requestId: string
  /** the header as received */
  readonly traceparent: string | undefined
  /** the first run, or else request, of its events; null: none so far, or traces are off */
  subject: string | null
  /** whose limits it counts against: the person's, or the address's until the person is known */
  caller: string
  /** it has committed a unit of work: an outage after that must not say that nothing changed */
  hasCommitted: boolean
  /**
   * frees the slot of its large body, which stays in memory, for a call that waits for people;
   * null: it has none
   */
  freeBody: (() => void) | null
}

/** Set by the API's first middleware. Timers and rounds that live longer run outside. */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>()
