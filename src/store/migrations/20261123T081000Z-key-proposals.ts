import { sql, type Kysely } from 'kysely'

/**
 * A key for somebody else is proposed; its owner claims it, and who proposed it stands behind what
 * it does.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table api_key_proposal (
      id uuid primary key,
      name text not null,
      owner_id uuid not null references person(id),
      proposed_by uuid not null references person(id),
      scopes text[] not null,
      key_expires_at timestamptz,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null
    );
    create index api_key_proposal_of_owner on api_key_proposal (owner_id);
    alter table api_key add column proposed_by uuid references person(id);
  `.execute(db)
}
