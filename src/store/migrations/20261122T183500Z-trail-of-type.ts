import { sql, type Kysely } from 'kysely'

/**
 * The trail by type in an order that no other index has. In the order of the whole trail, Postgres
 * would rather look through all of its newest events for those of a type, however long there was
 * none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop index audit_event_of_type;
    create index audit_event_of_type on audit_event (type, at desc nulls last, id desc nulls last);
  `.execute(db)
}
