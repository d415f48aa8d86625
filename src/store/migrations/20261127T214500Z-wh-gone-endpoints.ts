import { sql, type Kysely } from 'kysely'

/**
 * The hash of the address that answered an endpoint's notification with `410`; null: it is live. A
 * hash, since the path may be secret.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table endpoint add column gone_address text`.execute(db)
}
