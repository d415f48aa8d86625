import { sql, type Kysely } from 'kysely'

/**
 * The reconciler reads the pending requests that no run waits for: those of programs, and the
 * outcome checks of the gateway's calls, which the earlier index left out.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index request_pending_without_run on request (id)
      where state = 'pending' and run_id is null
  `.execute(db)
  await sql`drop index request_external_pending`.execute(db)
}
