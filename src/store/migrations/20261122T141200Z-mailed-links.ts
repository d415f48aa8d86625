import { sql, type Kysely } from 'kysely'

/**
 * Sign-in links that went out by mail: of these only the newest works, and only so many are made.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sign_in_link add column mailed boolean not null default false;
    -- a link by mail: those that went before it
    create index sign_in_link_mailed on sign_in_link (person_id, created_at) where mailed;
  `.execute(db)
}
