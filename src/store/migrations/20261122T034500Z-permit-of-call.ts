import { sql, type Kysely } from 'kysely'

/**
 * The newest permit of a call, spent ones too, is read before each execution: without this, every
 * permit there is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index permit_of_call on permit (call_id, issued_at desc, id desc) where call_id is not null
  `.execute(db)
}
