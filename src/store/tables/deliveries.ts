import type { GeneratedTimestamp, Seal, Timestamp, Jsonb } from './columns.ts'
import type { Generated, GeneratedAlways } from 'kysely'
import type { EmailChoice } from '#domain/channels/email.ts'
import type { PushedRequests } from '#domain/channels/push-choice.ts'
import type { DeliveryState } from '#domain/channels/delivery-state.ts'
import type { JsonObject } from '#domain/json/json.ts'

/** One notification for one recipient. Its id is the `webhook-id` of every attempt. */
export interface DeliveryTable {
  id: string
  endpoint: string
  event_id: string
  /** `''` when the endpoint has only one; otherwise its form depends on the kind of channel */
  recipient: Generated<string>
  type: string
  request_id: string | null
  /** the exact bytes that are sent */
  body: string
  state: Generated<DeliveryState>
  attempts: Generated<number>
  /** when it is due; while it is being sent, when another attempt may begin */
  next_attempt_at: GeneratedTimestamp
  last_status: number | null
  last_error: string | null
  created_at: GeneratedTimestamp
  ended_at: Timestamp | null
  seal: Seal
}

/** Who a person is in the workspace, as both have confirmed. */
export interface SlackLinkTable {
  id: string
  team: string
  user_id: string
  person_id: string
  created_at: GeneratedTimestamp
  seal: Seal
}

export interface DeliveryTables {
  /** What a person has chosen for push messages. */
  push_choice: {
    person_id: string
    requests: PushedRequests
    /** also the end of requests that they started */
    ended: boolean
    /** quiet hours, in the zone's local time; all three or none */
    quiet_from: string | null
    quiet_to: string | null
    time_zone: string | null
    changed_at: GeneratedTimestamp
  }
  /** What a person has chosen to be mailed. */
  mail_choice: {
    person_id: string
    choice: EmailChoice
    /** also when a request ends, with any outcome */
    ended: boolean
    changed_at: GeneratedTimestamp
  }
  /** The newest digest slot of a person, whether a digest was sent or not. */
  mail_digest: {
    person_id: string
    told_until: Timestamp
  }
  /** A request that ended since a person's last digest and belongs in the next one. */
  mail_news: {
    person_id: string
    request_id: string
  }
  /** One row: requests whose last hours began before this time have had their mails. */
  mail_expiring: {
    id: Generated<boolean>
    told_until: Timestamp
  }
  outbox: {
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
  event: {
    id: string
    sequence: string | null
    type: string
    subject: Jsonb<JsonObject>
    created_at: GeneratedTimestamp
  }
  /**
   * A webhook or another channel. All events up to `told_until` were handled: those that it gets
   * have their deliveries.
   */
  endpoint: {
    name: string
    told_until: string
    /** hash of the address that answered `410`; null: it is live */
    gone_address: string | null
    created_at: GeneratedTimestamp
  }
  delivery: DeliveryTable
  /** The message of a request in the channel of its queue. */
  slack_message: {
    request_id: string
    /** its id, as Slack answered */
    channel: string
    ts: string
    /** hash of the message, so that it is updated only when it changed */
    shown: string
    seal: Seal
  }
  slack_link: SlackLinkTable
  /** A code that a Slack user got, to be confirmed by the person who is signed in here. */
  slack_link_code: {
    code_hash: string
    team: string
    user_id: string
    /** from the user's profile when the code was made */
    email: string
    expires_at: Timestamp
    seal: Seal
  }
  /** Signatures of handled interactions, so that a replayed one is refused. */
  slack_heard: {
    signature: string
    at: GeneratedTimestamp
  }
}
