import { sql, type Kysely } from 'kysely'

/**
 * The pending requests of a program's owner are counted at each opening. This index has these rows
 * alone: the others are those of all programs, and all that the owner ever opened.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index request_external_of_owner on request (owner_id)
      where state = 'pending' and kind = 'external'
  `.execute(db)
}
