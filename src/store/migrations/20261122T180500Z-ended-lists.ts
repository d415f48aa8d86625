import { sql, type Kysely } from 'kysely'

/**
 * The orders and filters of lists that looked through what has ended: each index names the query it
 * serves.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- lists of requests in any state: highest risk first, soonest expiry first
    create index request_by_risk on request
      ((case risk when 'high' then 1 when 'medium' then 2 else 3 end), expires_at, id);
    -- of a page's first key Postgres would expect that what comes after the last of three risks is nothing
    alter index request_by_risk alter column 1 set statistics 0;
    alter index request_pending_all_risk alter column 1 set statistics 0;
    create index request_by_expiry on request (expires_at, id);
    -- lists of runs: ends that are rare
    create index run_ended_early on run (state, created_at desc, id desc) where state in ('failed', 'cancelled');
  `.execute(db)
}
