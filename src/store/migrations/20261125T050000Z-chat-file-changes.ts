import { sql, type Kysely } from 'kysely'

/**
 * What each call did to the files of the workspace. Lines are short hashes, from which the net
 * effect of a run is counted when the bytes are gone. It goes with the call's result.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table file_change (
      -- the order in which the changes were stored
      id bigint generated always as identity primary key,
      run_id uuid not null references run(id),
      call_id uuid not null references tool_call(id),
      attempt integer not null,
      position integer not null check (position > 0),
      path text not null,
      -- of a move: where the file was
      from_path text,
      -- no hash: no file is there
      before_hash text,
      after_hash text,
      -- six bytes for each line; null: no text, or too large
      before_lines bytea,
      after_lines bytea,
      unique (call_id, attempt, position),
      check (before_hash is not null or before_lines is null),
      check (after_hash is not null or after_lines is null)
    )
  `.execute(db)
  await sql`create index file_change_of_run on file_change (run_id, id)`.execute(db)
}
