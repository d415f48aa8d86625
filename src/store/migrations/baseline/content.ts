/** Bytes by their hash, and the removal of those that are no longer needed. */
export const content = `
  create table content (
    hash text primary key,
    encoding text not null check (encoding in ('identity', 'zstd', 'removed')),
    size integer not null,
    bytes bytea not null
  );
  alter table content alter column bytes set storage external;

  create table erased_content (
    hash text primary key,
    by_id uuid not null references person(id),
    at timestamptz not null default clock_timestamp()
  );

  -- hashes that something stopped referring to: to be looked at
  create table released_content (
    hash text primary key
  );

  -- for a while, should somebody have stored the same bytes at that very moment
  create table removed_content (
    hash text primary key,
    encoding text not null,
    bytes bytea not null,
    removed_at timestamptz not null default clock_timestamp()
  );
  alter table removed_content alter column bytes set storage external;
`
