import { sql, type Kysely } from 'kysely'

/**
 * Contents whose bytes a person had erased: who, and when; the events say why. The hash stays, as
 * the commitment it is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table erased_content (
      hash text primary key,
      by_id uuid not null references person(id),
      at timestamptz not null default clock_timestamp()
    )
  `.execute(db)
}
