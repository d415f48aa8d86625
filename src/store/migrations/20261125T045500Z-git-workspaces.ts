import { sql, type Kysely } from 'kysely'

/** A run works in one of the workspaces; every run before this one did in `default`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table run add column workspace text not null default 'default'`.execute(db)
}
