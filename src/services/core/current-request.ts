import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The HTTP request that this process answers at the moment, however deep in the code: for logs and
 * traces.
 */
export interface CurrentRequest {
  readonly requestId: string
  /** the header, as it came */
  readonly traceparent: string | undefined
  /**
   * the first run, or else request, that it recorded something of; null: none so far, or nobody
   * traces
   */
  subject: string | null
  /**
   * whose share of the service it takes: the person behind it, or the address until that is known
   */
  caller: string
  /** a unit of work of it was committed: an outage after that must not say that nothing changed */
  hasCommitted: boolean
}

/**
 * Set by the API's first middleware. What outlives a request (rounds, timers) runs outside of it.
 */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>()
