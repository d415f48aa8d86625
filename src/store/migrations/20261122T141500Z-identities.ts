import { sql, type Kysely } from 'kysely'

/**
 * People who sign in at an OpenID Connect provider: whose account is whose, and which of the mapped
 * groups it was in when they last did. Who is a member by a group is one for a while only, so
 * `team_member` becomes what of the memberships holds now; those that the configuration names hold
 * until it says otherwise.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table team_member rename to membership;
    alter table membership add column until timestamptz;
    create view team_member as
      select team, person_id from membership
      where until is null or until > statement_timestamp();

    create table identity (
      issuer text not null,
      subject text not null,
      person_id uuid not null references person(id),
      -- as the provider last said; it decides nothing
      email text not null,
      groups text[] not null,
      told_at timestamptz not null default clock_timestamp(),
      created_at timestamptz not null default clock_timestamp(),
      primary key (issuer, subject),
      unique (person_id, issuer)
    );
    create table sign_in_flow (
      state_hash text primary key,
      -- of what only the browser that began has, in a cookie
      browser_hash text not null,
      return_to text not null,
      expires_at timestamptz not null
    )
  `.execute(db)
}
