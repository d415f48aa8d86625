import { sql, type Kysely } from 'kysely'

/** The filters of a page that a person saves under a name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table saved_view (
      id uuid primary key,
      person_id uuid not null references person(id),
      page text not null,
      name text not null,
      query text not null,
      unique (person_id, page, name)
    )
  `.execute(db)
}
