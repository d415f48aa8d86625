import { sql, type Kysely } from 'kysely'

/**
 * Sessions can be listed and ended by a name that signs nobody in, and say in a few words where
 * they were started.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table session
      add column id uuid not null unique default gen_random_uuid(),
      add column device text not null default 'unknown'
  `.execute(db)
  await sql`
    alter table session
      alter column id drop default,
      alter column device drop default
  `.execute(db)
}
