import { sql, type Kysely } from 'kysely'

/** Versions that wait for a second person (workers-and-policy.md). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table policy_proposal (
      id uuid primary key,
      digest text not null references policy_version(digest),
      previous_digest text not null references policy_version(digest),
      proposed_by uuid not null references person(id),
      note text,
      statement text not null,
      signature text not null,
      key_id text not null,
      state text not null default 'open'
        check (state in ('open', 'activated', 'cancelled', 'superseded', 'expired')),
      proposed_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      ended_at timestamptz,
      ended_by uuid references person(id)
    );
    -- at most one waits
    create unique index policy_proposal_open on policy_proposal (state) where state = 'open';
  `.execute(db)
}
