import type { RawBuilder } from 'kysely'
import type { StreamEventType } from '#domain/channels/stream-event.ts'
import type { ConfiguredEndpoint } from '#services/channels/webhooks/configured-endpoints.ts'
import type { Tx } from '#store/database.ts'
import type { ChannelEvent } from './channel-event.ts'

/** A message to one recipient of an event; each is retried separately. */
export interface ChannelMessage {
  /** unique for an endpoint and an event; `''` where an endpoint is its only recipient */
  readonly recipient: string
  /** stored, and passed unchanged to `send` at every attempt */
  readonly body: string
  /** not to be sent before; default: at once */
  readonly notBefore?: Date
  /** makes the body where it is the last one of an hour; default: `body` */
  readonly lastBody?: () => string
}

/** A due message for `send`. */
export interface DueDelivery {
  /** the same at every attempt */
  readonly id: string
  readonly recipient: string
  readonly body: string
  /** of the event */
  readonly type: string
  readonly requestId: string | null
  /** including this one */
  readonly attempts: number
}

/** An attempt's result. `error`: `null` when accepted; `status`: `null` without an answer. */
export interface SendOutcome {
  readonly status: number | null
  readonly error: string | null
  /** the receiver asked for this pause: the next attempt is not made before */
  readonly retryAfterMs?: number
  /** it will never be accepted: no more attempts */
  readonly isFinal?: boolean
  /** the receiver wants no more notifications of the channel */
  readonly isGone?: boolean
}

/** The outcome of an attempt that no later one can change. */
export function finalOutcome(error: string): SendOutcome {
  return { status: null, error, isFinal: true }
}

/**
 * A way to notify somebody: a webhook, mail, chat. The relay makes the messages of every event for
 * the channel once, and tries each until `send` reports success. A slow channel does not delay
 * others.
 */
export interface NotificationChannel extends Pick<
  ConfiguredEndpoint,
  'name' | 'kind' | 'events' | 'queues'
> {
  /** concurrent messages of one process, and to one recipient; default: 4, to any recipients */
  readonly slots?: { readonly atOnce: number; readonly perRecipient: number }
  /** the events whose messages to one recipient are limited for an hour; default: none */
  readonly limited?: readonly StreamEventType[]
  /** a hash of its receiver's address, where one answer is about the whole channel; else absent */
  readonly addressHash?: string
  /** In SQL, whether anybody can be reached; asked once for many events. Absent: somebody can. */
  readonly reachesAnybody?: RawBuilder<boolean>
  /** The messages of an event, in the transaction that stores them; empty: none. */
  compose(tx: Tx, event: ChannelEvent): Promise<readonly ChannelMessage[]>
  /**
   * One attempt, of two steps of `timeoutMs` at most, which end well before the lease does; ends
   * early when `stopping`.
   */
  send(due: DueDelivery, stopping: AbortSignal, timeoutMs: number): Promise<SendOutcome>
}
