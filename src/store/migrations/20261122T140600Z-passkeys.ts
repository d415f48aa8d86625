import { sql, type Kysely } from 'kysely'

/**
 * Passkeys (audit.md, Approver's signature): what somebody registered, who confirmed it, and the
 * challenges that wait to be signed. A credential's row stays when it is removed: decisions name
 * it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table credential (
      id uuid primary key,
      person_id uuid not null references person(id),
      webauthn_id text not null unique,
      public_key text not null,
      counter bigint not null,
      transports text[] not null,
      name text not null,
      synced boolean not null,
      registered_at timestamptz not null default clock_timestamp(),
      last_used_at timestamptz,
      confirmed_at timestamptz,
      confirmed_by uuid references person(id) check (confirmed_by <> person_id),
      removed_at timestamptz,
      check ((confirmed_at is null) = (confirmed_by is null))
    );
    -- a person's credentials, and the list of everybody's, newest first
    create index credential_of_person on credential (person_id) where removed_at is null;
    create index credential_newest on credential (registered_at desc, id desc) where removed_at is null;
    create table passkey_challenge (
      challenge text primary key,
      purpose text not null check (purpose in ('register', 'sign_in', 'decide')),
      session_hash text references session(token_hash) on delete cascade,
      statement text,
      salt text,
      expires_at timestamptz not null,
      check ((session_hash is null) = (purpose = 'sign_in')),
      check ((statement is null) = (purpose <> 'decide'))
    );
    -- sweeping what nobody answered
    create index passkey_challenge_expires on passkey_challenge (expires_at);
    -- a session that ends takes its challenges along
    create index passkey_challenge_of_session on passkey_challenge (session_hash);
    alter table decision add column credential_id uuid references credential(id);
  `.execute(db)
}
