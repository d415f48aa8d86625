import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { EmailSettings } from '#policy/settings.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import { mailRecipients } from '#services/channels/mail/mail-recipients.ts'
import { sealedDelivery } from '#services/requests/ending/sealed-delivery.ts'
import { emailEndpointOf } from '#services/channels/webhooks/configured-endpoints.ts'
import type { Db, Tx } from '#store/database.ts'
import type { JsonRow } from '#store/json-row.ts'
import { isRequestVouched } from '../channels/body-matches-request.ts'
import { expiringSoonMs, messagesLeft } from '../channels/hourly-limit.ts'
import { readNotice } from '../channels/request-notice.ts'
import { isConcerned } from './email-channel.ts'
import { requestMail, type MailedRequest, type MailPages } from './request-mail.ts'

interface ExpiryRound extends MailPages {
  readonly settings: EmailSettings
  readonly seals: Seals
  readonly now: Date
}

/**
 * Stores mails about the requests whose last hours began since the previous round, one for each; an
 * extended request gets another one later. The mark moves in the same transaction. Requests that
 * ended meanwhile get none.
 */
export async function storeExpiryMails(db: Db, round: ExpiryRound): Promise<void> {
  const { now } = round
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto('mail_expiring')
      .values({ told_until: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const mark = await tx
      .selectFrom('mail_expiring')
      .select('told_until')
      .where('told_until', '<', now)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (mark === undefined) return
    await storeMails(
      tx,
      await requestsExpiringSoon({ tx, seals: round.seals }, mark.told_until, now),
      round,
    )
    await tx.updateTable('mail_expiring').set({ told_until: now }).execute()
  })
}

/**
 * Pending requests whose last hours began after `from` and up to `now`. One open for less than
 * twice these hours was announced only shortly before and is left out.
 */
async function requestsExpiringSoon(
  { tx, seals }: { readonly tx: Tx; readonly seals: Seals },
  from: Date,
  now: Date,
): Promise<MailedRequest[]> {
  const later = (at: Date): Date => new Date(at.getTime() + expiringSoonMs)
  const { rows } = await sql<MailedRequest & { readonly row: JsonRow }>`
    select request.id, request.number, request.kind, request.queue, request.risk, request.tool, request.title,
      request.expires_at, run.worker, null as outcome, to_jsonb(request) as row
    from request left join run on run.id = request.run_id
    where request.state = 'pending' and request.expires_at > ${later(from)}
      and request.expires_at <= ${later(now)} and request.expires_at > ${now}
      and request.expires_at - request.created_at > ${2 * expiringSoonMs} * interval '1 millisecond'
    order by request.expires_at
  `.execute(tx)
  return rows.filter((one) => isRequestVouched(seals, one))
}

async function storeMails(
  tx: Tx,
  requests: readonly MailedRequest[],
  round: ExpiryRound,
): Promise<void> {
  for (const request of requests) {
    const people = await mailRecipients(tx, request.id, round.settings.choice)
    const mailed = { ...request, ...(await readNotice(tx, request.id)) }
    const concerned = people.filter(
      (one) => one.choice === 'atOnce' && isConcerned(one, 'expiring'),
    )
    const to = { endpoint: emailEndpointOf(round.settings).name, type: 'request.expiring' }
    const addresses = concerned.map(({ email }) => email)
    // After an outage, those of several hours are stored together.
    const at = new Date(request.expires_at.getTime() - expiringSoonMs)
    const left = await messagesLeft(tx, { ...to, queue: request.queue, at }, addresses)
    const rows = addresses
      .filter((email) => left(email) > 0)
      .map((email) => {
        const pages = { ...round, isLastOfHour: left(email) === 1 }
        return sealedDelivery(round.seals, {
          ...to,
          event_id: newId(),
          recipient: email,
          request_id: request.id,
          body: JSON.stringify(requestMail('expiring', mailed, email, pages)),
        })
      })
    if (rows.length > 0) await tx.insertInto('delivery').values(rows).execute()
  }
}
