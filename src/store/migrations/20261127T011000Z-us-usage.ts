import { sql, type Kysely } from 'kysely'

/**
 * What models used within a time is summed by worker and by person, also where no model has a
 * price: the index has all steps with their tokens. A month's cost is read from it, too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index turn_attempt_usage on turn_attempt (started_at)
      include (run_id, input_tokens, cached_input_tokens, output_tokens, cost_usd)
  `.execute(db)
  await sql`drop index turn_attempt_cost`.execute(db)
}
