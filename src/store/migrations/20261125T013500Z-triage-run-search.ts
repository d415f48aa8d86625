import { sql, type Kysely } from 'kysely'

/** Search of runs by the first line of their task and the worker's name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index run_search on run using gin ((title || e'\\n' || worker) gin_trgm_ops);
  `.execute(db)
}
