import { sql, type Kysely } from 'kysely'

/**
 * Where a program says that it makes its call, and whether it proved that. Part of what the row's
 * seal covers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table external_request
      add column origin_hash text references content(hash),
      add column origin_proved boolean
  `.execute(db)
}
