import { sql, type Kysely } from 'kysely'

/**
 * Opening a program's request counts the pending requests of its owner. This index has those rows
 * alone; other indexes have those of all programs, or all that the owner ever opened.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index request_external_of_owner on request (owner_id)
      where state = 'pending' and kind = 'external'
  `.execute(db)
}
