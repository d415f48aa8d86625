import { sql, type Kysely } from 'kysely'

/**
 * What a request does while it waits (its routing's `steps`): when the next one is due, and when
 * those before it were taken, in their order. A request without any keeps nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table request
      add column next_step_at timestamptz,
      add column steps_taken timestamptz[]
  `.execute(db)
}
