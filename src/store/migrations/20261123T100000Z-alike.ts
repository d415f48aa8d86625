import { sql, type Kysely } from 'kysely'

/** What is alike of a request: each index names the query it serves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- requests of the same call, the newest first
    create index request_of_digest on request (digest, created_at desc);
    -- how often the same call was carried out
    create index execution_of_digest on execution (executed_digest) where executed_digest is not null;
    -- requests about the same file, or for the same program, the newest first
    create index revision_of_target on request_revision
      ((coalesce(facts->'detail'->'programs'->0->>'path', facts->'bases'->0->>'path')), created_at desc);
  `.execute(db)
}
