import { sql, type Kysely } from 'kysely'

/**
 * An event may have several notifications at an endpoint, one for each recipient: each is tried
 * again on its own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table delivery add column recipient text not null default '';
    alter table delivery drop constraint delivery_endpoint_event_id_key;
    alter table delivery add unique (endpoint, event_id, recipient);
  `.execute(db)
}
