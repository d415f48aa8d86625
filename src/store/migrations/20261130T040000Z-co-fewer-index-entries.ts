import { sql, type Kysely } from 'kysely'

/**
 * Taken before the table is copied. `audit_event` is for a later migration of the same transaction.
 * A process of the earlier version may hold one of these locks and wait for another: Postgres then
 * ends one of the two, and no copy is lost. Units that lock a run take them in this order.
 */
const locks = 'lock table run, audit_event, event in access exclusive mode'

/**
 * Postgres writes a changed row to every index of its table, unless no column that an index names
 * has changed and the row's page has room. An index named the state of runs, which changes with
 * each request that opens or ends. It now names a column that changes only when a run fails or is
 * cancelled, and inserts leave room on each page.
 */
const earlyEnds = `
  alter table run set (fillfactor = 70);
  alter table run add column ended_early text generated always as (
    case when state in ('failed', 'cancelled') then state end) stored;
  create index run_of_early_end on run (ended_early, created_at desc, id desc)
    where ended_early is not null;
  drop index run_ended_early;
`

/** A new event has no number yet. The index had an entry for it all the same. */
const numberedEvents = `
  create unique index event_by_sequence on event (sequence) where sequence is not null;
  alter table event drop constraint event_sequence_key;
`

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(locks).execute(db)
  await sql.raw(earlyEnds).execute(db)
  await sql.raw(numberedEvents).execute(db)
}
