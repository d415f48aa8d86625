import { sql, type Kysely } from 'kysely'

/**
 * What was noted of the keys that the installation signed with (security.md 13); their public
 * halves are not believed from here.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table installation_key (
      kind text not null check (kind in ('signing', 'log')),
      key_id text not null,
      since timestamptz not null default clock_timestamp(),
      retired_at timestamptz,
      vkey text,
      handover text,
      primary key (kind, key_id)
    )
  `.execute(db)
}
