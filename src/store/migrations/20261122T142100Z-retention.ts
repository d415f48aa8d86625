import { sql, type Kysely } from 'kysely'

/**
 * What is kept for how long (`retention` of countersign.yaml). A run whose words went has a row
 * here, that says by which rule; bytes that nobody refers to any more are `removed` from `content`,
 * whose row keeps their hash and size.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cleared_run (
      run_id uuid primary key references run(id),
      -- as it was written: transcripts: 90d
      rule text not null,
      cleared_at timestamptz not null default clock_timestamp()
    );
    -- runs that ended long ago; one that has not costs nothing here
    create index run_ended on run (ended_at, id) where ended_at is not null;
    -- hashes that something stopped referring to: to be looked at
    create table released_content (hash text primary key);
    -- for a while, should somebody have stored the same bytes at that very moment
    create table removed_content (
      hash text primary key,
      encoding text not null,
      bytes bytea not null,
      removed_at timestamptz not null default clock_timestamp()
    );
    alter table removed_content alter column bytes set storage external;
    alter table content drop constraint content_encoding_check;
    alter table content add constraint content_encoding_check
      check (encoding in ('identity', 'zstd', 'removed'));
    -- streams of a command that were kept whole: their hashes are in the call's output, which nothing can look into
    create table kept_stream (
      call_id uuid not null references tool_call(id),
      hash text not null references content(hash),
      primary key (call_id, hash)
    );
    -- answers to repeated calls, oldest first
    create index idempotency_oldest on idempotency (created_at)
  `.execute(db)
}
