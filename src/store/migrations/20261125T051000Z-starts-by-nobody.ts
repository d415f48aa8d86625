import { sql, type Kysely } from 'kysely'

/** A run may be started by nobody: by a trigger that names no person. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table run alter column started_by drop not null;
    alter table run add column started_from text;
  `.execute(db)
}
