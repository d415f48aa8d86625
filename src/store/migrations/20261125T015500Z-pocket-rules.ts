import { sql, type Kysely } from 'kysely'

/** The requests of a rule, newest first: insights lead to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index request_of_rule on request ((rule->>'id'), created_at desc)
  `.execute(db)
}
