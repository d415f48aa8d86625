import type { Generated, GeneratedAlways } from 'kysely'
import type { JsonObject } from '../../domain/json.ts'
import type { GeneratedTimestamp, Jsonb, Timestamp } from './columns.ts'

export interface OutboxTable {
  id: GeneratedAlways<string>
  run_id: string | null
  kind: string
  payload: Jsonb<JsonObject>
  attempts: Generated<number>
  leased_until: Timestamp | null
  lease_owner: string | null
  last_error: string | null
  created_at: GeneratedTimestamp
  delivered_at: Timestamp | null
  undeliverable_at: Timestamp | null
}

export interface EventTable {
  id: string
  sequence: string | null
  type: string
  subject: Jsonb<JsonObject>
  created_at: GeneratedTimestamp
}

/** A webhook or another channel: the events up to `told_until` have their deliveries. */
export interface EndpointTable {
  name: string
  told_until: string
  created_at: GeneratedTimestamp
}

/** One notification for one recipient of an endpoint. Its id is the `webhook-id`, the same at every attempt. */
export interface DeliveryTable {
  id: string
  endpoint: string
  event_id: string
  /** `''` where the endpoint is its only one; who it is depends on the kind of channel */
  recipient: Generated<string>
  type: string
  request_id: string | null
  /** what is sent, byte for byte */
  body: string
  state: Generated<'pending' | 'delivered' | 'dead'>
  attempts: Generated<number>
  /** when it is due; while it is being sent, when it may be sent again */
  next_attempt_at: GeneratedTimestamp
  last_status: number | null
  last_error: string | null
  created_at: GeneratedTimestamp
  ended_at: Timestamp | null
}
