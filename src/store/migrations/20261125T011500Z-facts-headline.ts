import { sql, type Kysely } from 'kysely'

/** What a revision does in a sentence, and what deserves attention in it (product.md 38). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table request_revision add column effect text, add column cues jsonb
  `.execute(db)
}
