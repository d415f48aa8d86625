import { sql, type Kysely } from 'kysely'

/**
 * The deliveries that were given up are counted for `/metrics` (read-standing): they stay until
 * somebody sends them again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index delivery_dead on delivery (endpoint) where state = 'dead'`.execute(db)
}
