import type { Generated } from 'kysely'
import type { GeneratedTimestamp, Timestamp } from './columns.ts'

/** What a person has chosen to be mailed. */
export interface MailChoiceTable {
  person_id: string
  choice: 'atOnce' | 'digest' | 'nothing'
  /** also of what others have decided, or has ended otherwise */
  ended: boolean
  changed_at: GeneratedTimestamp
}

/** The slot of the newest digest that a person was due, whether there was something to say or not. */
export interface MailDigestTable {
  person_id: string
  told_until: Timestamp
}

/** A request that has ended since a person's last digest, of which they want to hear. */
export interface MailNewsTable {
  person_id: string
  request_id: string
}

/** One row: the requests whose last hours had begun by then have been told of. */
export interface MailExpiringTable {
  id: Generated<boolean>
  told_until: Timestamp
}
