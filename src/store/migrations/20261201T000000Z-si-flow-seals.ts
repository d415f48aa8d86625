import { sql, type Kysely } from 'kysely'

/** Seals of sign-ins that wait for a provider's answer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sign_in_flow add column seal text`.execute(db)
}
