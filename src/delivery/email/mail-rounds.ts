import { sql } from 'kysely'
import type { Log, PolicyReader } from '#services/core/context.ts'
import { emailEndpointOf } from '#services/channels/webhooks/configured-endpoints.ts'
import type { Db } from '#store/database.ts'
import { Repeating } from '../repeating.ts'
import type { MailPages } from './request-mail.ts'
import { createDigests } from './create-digests.ts'
import { createExpiryMails } from './create-expiry-mails.ts'

export interface MailRoundsOptions extends MailPages {
  readonly db: Db
  readonly log: Log
  readonly policies: PolicyReader
  /** tests look more often */
  readonly everyMs?: number
}

/**
 * What is mailed because of the time: digests, and requests that expire soon. In every API process;
 * each mail is made by one of them, and the relay sends it with the others.
 */
export class MailRounds implements AsyncDisposable {
  readonly #rounds: Repeating

  constructor(options: MailRoundsOptions) {
    this.#rounds = new Repeating({
      everyMs: options.everyMs ?? 30_000,
      work: () => mailRound(options),
      failed: (error) => options.log.warn({ error }, 'digests wait'),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rounds[Symbol.asyncDispose]()
  }
}

/** One look at the clock, the database's unless a test has its own. */
export async function mailRound(
  { db, policies, publicUrl }: MailRoundsOptions,
  clock?: Date,
): Promise<void> {
  const { email: settings } = (await policies.inForce()).config
  if (settings === null) return
  const { rows } = await sql<{ now: Date; known: boolean }>`
    select clock_timestamp() as now, exists (select 1 from endpoint
      where name = ${emailEndpointOf(settings).name} and told_until >= 0) as known
  `.execute(db)
  // The relay makes the endpoint; until it has, there is nobody to send what is made here.
  if (rows[0]?.known !== true) return
  const telling = { settings, publicUrl, now: clock ?? rows[0].now }
  await createExpiryMails(db, telling)
  await createDigests(db, telling)
}
