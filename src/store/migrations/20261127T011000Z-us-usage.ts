import { sql, type Kysely } from 'kysely'

/**
 * The use of models within a period is summed by worker and by person, even if no model has a
 * price, so the index has all steps with their tokens. The cost of a month is read from it too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index turn_attempt_usage on turn_attempt (started_at)
      include (run_id, input_tokens, cached_input_tokens, output_tokens, cost_usd)
  `.execute(db)
  await sql`drop index turn_attempt_cost`.execute(db)
}
