import { sql, type Kysely } from 'kysely'

/** Pictures and texts that somebody sent with a message of a run. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table message_file (
      message_id uuid not null references message(id),
      position integer not null check (position > 0),
      name text not null,
      -- an image type only when the bytes are such an image
      media_type text not null,
      bytes integer not null check (bytes >= 0),
      hash text not null references content(hash),
      primary key (message_id, position)
    )
  `.execute(db)
  await sql`create index message_file_of_hash on message_file (hash)`.execute(db)
}
