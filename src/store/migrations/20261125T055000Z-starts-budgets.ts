import { sql, type Kysely } from 'kysely'

/** What models may cost in a month, as the version in force says. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table monthly_budget (
      worker text primary key,
      cost_usd double precision not null check (cost_usd > 0)
    );
    -- what a month has cost so far
    create index turn_attempt_cost on turn_attempt (started_at) include (run_id, cost_usd)
      where cost_usd is not null;
  `.execute(db)
}
