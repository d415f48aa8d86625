import { sql } from 'kysely'
import { mailRecipients, type MailRecipient } from '#services/channels/mail/mail-recipients.ts'
import type { Db, Tx } from '#store/database.ts'
import type { ChannelEvent } from './channel-event.ts'

/** Who asked whom to look at a request. */
export interface HandOver {
  readonly toId: string
  readonly to: string
  readonly by: string
}

/**
 * The hand-over that an event is about; `null`: the request was handed to somebody else later, or
 * the event is about something else.
 */
export async function readHandOver(
  db: Db | Tx,
  { type, eventId, request }: ChannelEvent,
): Promise<HandOver | null> {
  if (type !== 'request.handed_over' || request === null) return null
  const { rows } = await sql<HandOver>`
    select h.to_id as "toId", receiver.name as "to", giver.name as by
    from request_handover h
    join event on event.id = ${eventId} and event.subject->>'to' = h.to_id::text
    join person receiver on receiver.id = h.to_id join person giver on giver.id = h.by_id
    where h.request_id = ${request.id}
  `.execute(db)
  return rows[0] ?? null
}

/** Why a hand-over is not sent to its colleague any more. */
export const noLongerTheirs = 'the colleague no longer has the request, or has decided it'

/** Whether a colleague has a request now, may decide it and has not. */
export async function isHandedTo(db: Db | Tx, requestId: string, id: string): Promise<boolean> {
  const people = await mailRecipients(db, requestId, 'nothing')
  if (!people.some((one) => one.id === id && one.mayDecide && !one.hasDecided)) return false
  const handOver = await db
    .selectFrom('request_handover')
    .select('to_id')
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  return handOver?.to_id === id
}

/** Of these people, those whom an event concerns: a hand-over, only the colleague. */
export function concernedPeople(
  { type }: ChannelEvent,
  handOver: HandOver | null,
  people: readonly MailRecipient[],
): readonly MailRecipient[] {
  return type === 'request.handed_over' ? people.filter(({ id }) => id === handOver?.toId) : people
}
