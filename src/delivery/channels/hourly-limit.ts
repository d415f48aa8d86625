import { sql } from 'kysely'
import type { Tx } from '#store/database.ts'
import type { ChannelEvent } from './channel-event.ts'
import type { ChannelMessage } from './channel.ts'

/**
 * The most messages that a recipient gets within an hour about one queue and one type of event, so
 * that an agent that opens and withdraws requests all day fills nobody's mailbox. Other queues, and
 * reminders beside openings, are counted apart.
 */
const maxPerHour = 30
const hourMs = 3_600_000
/**
 * How long before a request expires the mail about its expiry is due; the same as `expiringSoon` of
 * the queues.
 */
export const expiringSoonMs = 4 * hourMs

/** Where messages go, and what they are about. */
export interface LimitedMessages {
  readonly endpoint: string
  readonly type: string
  readonly queue: string
  /** the time of the event that they are about */
  readonly at: Date
}

/**
 * Returns how many more messages one of these recipients may get. The hour is that before the
 * event, also for events of several hours that become messages together after an outage.
 */
export async function messagesLeft(
  tx: Tx,
  { endpoint, type, queue, at }: LimitedMessages,
  recipients: readonly string[],
): Promise<(recipient: string) => number> {
  const since = new Date(at.getTime() - hourMs)
  const { rows } = await sql<{ recipient: string; sent: number }>`
    select delivery.recipient, count(*)::int as sent
    from delivery join request on request.id = delivery.request_id
      -- Mails about requests that expire soon have no event: their last hours begin then.
      left join event on event.id = delivery.event_id
    where delivery.recipient = any(${recipients}::text[]) and delivery.recipient <> ''
      -- No message is older than its event: the index finds those of the hour.
      and delivery.created_at > ${since}
      and coalesce(event.created_at, request.expires_at - ${expiringSoonMs} * interval '1 millisecond') > ${since}
      and delivery.state <> 'dead'
      and delivery.endpoint = ${endpoint} and delivery.type = ${type} and request.queue = ${queue}
    group by delivery.recipient
  `.execute(tx)
  const sent = new Map(rows.map((row) => [row.recipient, row.sent]))
  return (recipient) => maxPerHour - (sent.get(recipient) ?? 0)
}

/** The messages of an event that do not exceed the limit; the last one of an hour says so. */
export async function withinLimit(
  tx: Tx,
  endpoint: string,
  { type, at, request }: ChannelEvent,
  messages: readonly ChannelMessage[],
): Promise<readonly ChannelMessage[]> {
  if (request === null || messages.length === 0) return messages
  const recipients = messages.map(({ recipient }) => recipient)
  const left = await messagesLeft(tx, { endpoint, type, queue: request.queue, at }, recipients)
  return messages.flatMap((message) => {
    const remaining = left(message.recipient)
    if (remaining <= 0) return []
    if (remaining > 1) return [message]
    return [{ ...message, body: message.lastBody?.() ?? message.body }]
  })
}

/** What the last message of an hour says of those that are left out. Pure. */
export function limitSentence(what: string, queue: string): string {
  return `This is the ${maxPerHour}th ${what} about ${queue} within an hour: until fewer come, there are no more of them. Everything that waits is in the inbox`
}
