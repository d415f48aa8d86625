import { sql, type Kysely } from 'kysely'

/**
 * Programs are told where they said (`callbackUrl`), by deliveries that are written with the end of
 * their requests.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table external_request add column callback_url text, add column callback_secret text,
      add check ((callback_url is null) = (callback_secret is null));
    -- never told by the cursor of the stream
    insert into endpoint (name, told_until) values ('callback:programs', -1);
    -- the callbacks of one's own programs, newest first
    create index delivery_of_recipient on delivery (recipient, created_at desc, id desc) where recipient <> '';
  `.execute(db)
}
