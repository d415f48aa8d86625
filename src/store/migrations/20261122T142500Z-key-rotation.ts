import { sql, type Kysely } from 'kysely'

/**
 * Keys may end by themselves, and get a new secret under the same id; the one before may work on
 * for a while.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_key
      add column expires_at timestamptz,
      add column rotated_at timestamptz,
      add column previous_hash text,
      add column previous_until timestamptz,
      add check ((previous_hash is null) = (previous_until is null))
  `.execute(db)
}
