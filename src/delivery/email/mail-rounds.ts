import { sql } from 'kysely'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Log, PolicyReader } from '#services/core/context.ts'
import { emailEndpointOf } from '#services/channels/webhooks/configured-endpoints.ts'
import type { Db } from '#store/database.ts'
import { RepeatedWork } from '../repeated-work.ts'
import type { MailPages } from './request-mail.ts'
import { storeDueDigests } from './store-due-digests.ts'
import { storeExpiryMails } from './store-expiry-mails.ts'

export interface MailRoundsOptions extends MailPages {
  readonly db: Db
  readonly seals: Seals
  readonly log: Log
  readonly policies: PolicyReader
  /** shorter in tests */
  readonly everyMs?: number
}

/**
 * Creates the mails that are due by time: digests, and notices of requests that expire soon. Runs
 * in every API process; each mail is made once, and the relay sends it.
 */
export function repeatMailRounds(options: MailRoundsOptions): RepeatedWork {
  return new RepeatedWork({
    everyMs: options.everyMs ?? 30_000,
    work: () => mailRound(options),
    onError: (error) =>
      options.log.warn({ error }, 'digests could not be created; the next round tries again'),
  })
}

/** Runs one round at the database's time, or at `clock` in tests. */
export async function mailRound(
  { db, seals, policies, publicUrl }: MailRoundsOptions,
  clock?: Date,
): Promise<void> {
  const { email: settings } = (await policies.inForce()).config
  if (settings === null) return
  const { rows } = await sql<{ now: Date; known: boolean }>`
    select clock_timestamp() as now, exists (select 1 from endpoint
      where name = ${emailEndpointOf(settings).name} and told_until >= 0) as known
  `.execute(db)
  // The relay makes the endpoint. Until then nothing would send the mails.
  if (rows[0]?.known !== true) return
  const round = { settings, seals, publicUrl, now: clock ?? rows[0].now }
  await storeExpiryMails(db, round)
  await storeDueDigests(db, round)
}
