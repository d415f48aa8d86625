import { sql, type Kysely } from 'kysely'

/**
 * An account at a provider gets an id when it is bound, so that the ledger can name the binding
 * that somebody ended: the same account may be bound to the same person again. Accounts from before
 * have none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table identity add column id uuid`.execute(db)
}
