import { sql, type Kysely } from 'kysely'

/** Changes of rules that people propose to holders of `activatePolicy`. A row permits nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table policy_change (
      number integer generated always as identity primary key,
      worker text not null,
      rule_id text not null,
      rule_text text not null,
      evidence jsonb not null,
      proposed_by uuid not null references person(id),
      proposed_at timestamptz not null default clock_timestamp(),
      ended_at timestamptz
    )
  `.execute(db)
  await sql`
    create unique index policy_change_open on policy_change (worker, rule_id) where ended_at is null
  `.execute(db)
}
