import { sql } from 'kysely'
import { Client } from 'pg'
import type { Db } from '#store/database.ts'
import { waitUntil } from '../wait-until.ts'

/**
 * Installs a clock in one database: from now on `clock_timestamp()` returns its time, which
 * `shiftClock` sets. Open connections are closed, because they have already resolved the name.
 */
export async function installClock(database: { readonly db: Db; readonly url: string }) {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query('create schema shifted')
    await client.query('grant usage on schema shifted to public')
    await client.query(clockAhead(0))
    await client.query(`do $$ begin
      execute format('alter database %I set search_path = shifted, pg_catalog, public', current_database());
    end $$`)
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`)
  } finally {
    await client.end()
  }
  // The pool notices each closed connection a moment later.
  await waitUntil(() => areOpen(database.db))
}

/** Sets the clock so many minutes ahead of the machine's; 0 sets it right. */
export async function shiftClock(db: Db, aheadMinutes: number): Promise<void> {
  await sql.raw(clockAhead(aheadMinutes)).execute(db)
}

function clockAhead(minutes: number): string {
  return `create or replace function shifted.clock_timestamp() returns timestamptz language sql volatile
    return pg_catalog.clock_timestamp() + interval '${minutes} minutes'`
}

async function areOpen(db: Db): Promise<boolean> {
  const queries = Array.from({ length: 20 }, () => sql`select 1`.execute(db))
  const outcomes = await Promise.allSettled(queries)
  return outcomes.every(({ status }) => status === 'fulfilled')
}
