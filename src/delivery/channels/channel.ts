import type { ConfiguredEndpoint } from '#services/channels/webhooks/configured-endpoints.ts'
import type { Tx } from '#store/database.ts'
import type { ChannelEvent } from './channel-event.ts'

/** What is sent to one recipient of an event: each is tried again on its own. */
export interface Message {
  /** unique for an endpoint and an event; `''` where an endpoint is its only recipient */
  readonly recipient: string
  /** stored, and handed to `send` as it is at every attempt */
  readonly body: string
  /** not to be sent before; default: at once */
  readonly notBefore?: Date
}

/** A message whose time has come, as it is handed to `send`. */
export interface DueDelivery {
  /** the same at every attempt */
  readonly id: string
  readonly recipient: string
  readonly body: string
  /** of the event */
  readonly type: string
  readonly requestId: string | null
  /** counts this one */
  readonly attempts: number
}

/**
 * What became of an attempt. `error` is `null` when it was accepted; `status` when somebody
 * answered.
 */
export interface SendOutcome {
  readonly status: number | null
  readonly error: string | null
  /** the receiver asked for this pause: the next attempt is not made before */
  readonly retryAfterMs?: number
  /** it will never be accepted: given up at once */
  readonly isFinal?: boolean
}

/**
 * A way to tell somebody of what happened: a webhook, mail, chat. The relay makes of every event
 * that the channel wants its messages, once, and tries each until `send` says that it arrived. One
 * that is slow or down delays no other.
 */
export interface Channel extends Pick<ConfiguredEndpoint, 'name' | 'kind' | 'events' | 'queues'> {
  /**
   * how many are on their way at once from one process, and to one recipient; default: 4, to
   * whomever
   */
  readonly places?: { readonly atOnce: number; readonly perRecipient: number }
  /**
   * The messages of an event, in the transaction that stores them; none: there is nothing to say.
   */
  compose(tx: Tx, happening: ChannelEvent): Promise<readonly Message[]>
  /** One attempt, in `timeoutMs` at most; ends early when `stopping`. */
  send(due: DueDelivery, stopping: AbortSignal, timeoutMs: number): Promise<SendOutcome>
}
