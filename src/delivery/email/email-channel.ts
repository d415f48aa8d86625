import { valueIn } from '#domain/json/value-in.ts'
import { sql, type Selectable } from 'kysely'
import { isEndOfRequest, peopleEvents } from '#domain/channels/stream-event.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { EmailSettings } from '#policy/settings.ts'
import { mailRecipients, type MailRecipient } from '#services/channels/mail/mail-recipients.ts'
import { emailEndpointOf } from '#services/channels/webhooks/configured-endpoints.ts'
import type { Db, Tx } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { PersonTable } from '#store/tables/people.ts'
import {
  finalOutcome,
  type ChannelMessage,
  type DueDelivery,
  type NotificationChannel,
} from '../channels/channel.ts'
import type { ChannelEvent } from '../channels/channel-event.ts'
import { readNotice } from '../channels/request-notice.ts'
import { changedRows } from '../channels/body-matches-request.ts'
import { concernedPeople, isHandedTo, noLongerTheirs, readHandOver } from '../channels/hand-over.ts'
import { isOverBeforeDigest } from './digest-slot.ts'
import type { Mail } from './mail.ts'
import { outcomeInWords } from './outcome-in-words.ts'
import { requestMail, type MailPages, type Occasion } from './request-mail.ts'
import { sendMail } from './send-mail.ts'

export interface EmailChannelOptions extends MailPages {
  readonly settings: EmailSettings
  readonly db: Db
  readonly seals: Seals
  /** the environment, for the mail server's secrets */
  readonly environment: Readonly<Record<string, string | undefined>>
}

const occasions: Readonly<Record<string, Occasion>> = {
  'request.opened': 'opened',
  'request.reminded': 'reminded',
  'request.escalated': 'escalated',
  'request.handed_over': 'handedOver',
  'request.decided': 'ended',
  'request.closed': 'ended',
}

/**
 * Mails the people who want mails at once. Each mail has one recipient, so that no address is
 * disclosed to another person.
 */
export function emailChannel(options: EmailChannelOptions): NotificationChannel {
  const { settings, environment } = options
  return {
    ...emailEndpointOf(settings),
    limited: peopleEvents,
    slots: { atOnce: 4, perRecipient: 2 },
    compose: (tx, event) => compose(tx, event, options),
    send: async (due, stopping, timeoutMs) => {
      const mail = JSON.parse(due.body) as Mail
      const fitness = await judgeMail(options, due, mail)
      if ('over' in fitness) return finalOutcome(fitness.over)
      const { onceEnded, to } = mail
      if (fitness.hasEnded && onceEnded === undefined) {
        return finalOutcome('the request had ended before it could be sent')
      }
      const present = fitness.hasEnded && onceEnded !== undefined ? { ...onceEnded, to } : mail
      return sendMail({ settings, environment }, present, { id: due.id, timeoutMs, stopping })
    },
  }
}

async function compose(
  tx: Tx,
  event: ChannelEvent,
  { settings, publicUrl }: EmailChannelOptions,
): Promise<readonly ChannelMessage[]> {
  const { type, at, request, run } = event
  const occasion = valueIn(occasions, type)
  if (request === null || occasion === undefined) return []
  // The request may have ended by now: then only its end is mailed.
  if (occasion !== 'ended' && request.state !== 'pending') return []
  const handOver = await readHandOver(tx, event)
  if (occasion === 'handedOver' && handOver === null) return []
  const all = await mailRecipients(tx, request.id, settings.choice)
  const people = concernedPeople(event, handOver, all)
  if (occasion === 'ended') await recordNews(tx, request.id, people)
  const isUrgent =
    occasion === 'opened' && isOverBeforeDigest(request.expires_at, at, settings.digest)
  const recipients = people.filter(
    (one) =>
      (one.choice === 'atOnce' || (isUrgent && one.choice === 'digest')) &&
      isConcerned(one, occasion),
  )
  if (recipients.length === 0) return []
  const outcome = occasion === 'ended' ? await outcomeInWords(tx, request) : null
  const notice = await readNotice(tx, request.id)
  const mailed = {
    ...request,
    ...notice,
    worker: run?.worker ?? null,
    outcome,
    handedOverBy: handOver?.by ?? null,
  }
  const bodyOf = (email: string, isLastOfHour: boolean): string =>
    JSON.stringify(requestMail(occasion, mailed, email, { publicUrl, isLastOfHour }))
  return recipients.map(({ email }) => ({
    recipient: email,
    body: bodyOf(email, false),
    lastBody: () => bodyOf(email, true),
  }))
}

/**
 * Whether a mail concerns a person: while the request is pending, those who may decide; its end,
 * those who started it or who want all ends.
 */
export function isConcerned(person: MailRecipient, occasion: Occasion): boolean {
  if (person.hasDecided) return false
  return occasion === 'ended' ? person.isStarter || person.ended : person.mayDecide
}

/** Records an end for the next digests. Pending requests are read by a digest itself. */
async function recordNews(
  tx: Tx,
  requestId: string,
  people: readonly MailRecipient[],
): Promise<void> {
  const rows = people
    .filter((one) => one.choice === 'digest' && isConcerned(one, 'ended'))
    .map(({ id }) => ({ person_id: id, request_id: requestId }))
  if (rows.length === 0) return
  await tx
    .insertInto('mail_news')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Why a mail must not be sent: its person was disabled, it is for an address that no sealed row of
 * a person has (security.md 29), or somebody else has the request that it hands over. Else
 * whether its request, which it shows as pending, has ended.
 */
async function judgeMail(
  { db, seals }: EmailChannelOptions,
  due: DueDelivery,
  mail: Mail,
): Promise<{ readonly over: string } | { readonly hasEnded: boolean }> {
  const { rows } = await sql<{ person: JsonRow | null; ended: boolean }>`
    select (select to_jsonb(person) from person where email = ${due.recipient} and disabled_at is null) as person,
      exists (select 1 from request where id = ${due.requestId} and state <> 'pending') as ended
  `.execute(db)
  const [row] = rows
  const person = row?.person ?? null
  if (person === null) return { over: 'the person is disabled' }
  const sealed = fromJsonRow<Selectable<PersonTable>>(person)
  const isToPerson = mail.to === due.recipient && seals.holds('person', sealed)
  if (!isToPerson) return { over: changedRows }
  const handedId = due.type === 'request.handed_over' && row?.ended !== true ? due.requestId : null
  if (handedId !== null && !(await isHandedTo(db, handedId, sealed.id))) {
    return { over: noLongerTheirs }
  }
  return { hasEnded: row?.ended === true && !isEndOfRequest(due) }
}
