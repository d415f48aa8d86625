import { sql } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import { eachOf } from '#store/connection/each-of.ts'
import { isAhead } from '#store/connection/is-ahead.ts'
import type { Db } from '#store/database.ts'
import type { OutboxKind } from '#store/records/outbox.ts'

export interface LeasedRow {
  readonly id: string
  readonly kind: OutboxKind
  readonly payload: JsonObject
  readonly attempts: number
}

/** How long a row is leased; a relay that dies loses it after this time. */
const leaseMs = 5000
/** The longest pause before a row is tried again. */
const maxPauseMs = 10_000

/** Whether somebody has a row now. */
const isLeased = isAhead('leased_until', sql.lit(maxPauseMs))

/**
 * Leases a run's undelivered rows, oldest first, up to the first that another process has, so that
 * rows of one run go in order. One statement, no transaction during a call: a row may be delivered
 * twice when its lease ends, which receivers ignore.
 */
export async function leaseRows(db: Db, runId: string, owner: string): Promise<LeasedRow[]> {
  const leased = await sql<LeasedRow>`
    with open as (
      select id, lease_owner, leased_until from outbox
      where run_id = ${runId} and delivered_at is null and undeliverable_at is null
      order by id for update
    ), held as (
      select min(id) as first from open
      where lease_owner <> ${owner} and ${isLeased}
    )
    update outbox
    set lease_owner = ${owner}, attempts = attempts + 1,
        leased_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from open, held
    where outbox.id = open.id and open.id < coalesce(held.first, 9223372036854775807)
    returning outbox.id, outbox.kind, outbox.payload, outbox.attempts
  `.execute(db)
  return leased.rows.toSorted((left, right) => (BigInt(left.id) < BigInt(right.id) ? -1 : 1))
}

/** Runs with rows that nobody delivers, oldest first; and whether any are undelivered. */
export async function runsToDeliver(
  db: Db,
  maxRuns: number,
): Promise<{ readonly runIds: readonly string[]; readonly hasOpen: boolean }> {
  const { rows } = await sql<{ runIds: readonly string[]; hasOpen: boolean }>`
    with open as materialized (
      select run_id, min(id) as first,
        bool_or(${isLeased}) is not true as is_free
      from outbox
      where delivered_at is null and undeliverable_at is null and run_id is not null
      group by run_id
    )
    select array(select run_id from open where is_free order by first limit ${maxRuns}) as "runIds",
      exists(select from open) as "hasOpen"
  `.execute(db)
  return rows[0] ?? { runIds: [], hasOpen: false }
}

/**
 * Marks signals of decisions as delivered, which a caller may wait for, and removes other rows.
 * Rows of any run that arrive while a statement runs share the next one. After a crash they may be
 * sent again, so it does not wait for the disk.
 */
export class DeliveredMarks {
  readonly #db: Db
  #next: { readonly rows: DeliveredRow[]; readonly marked: Promise<void> } | null = null
  #underWay: Promise<void> = Promise.resolve()

  constructor(db: Db) {
    this.#db = db
  }

  async mark(rows: readonly DeliveredRow[]): Promise<void> {
    this.#next ??= this.#afterThat()
    this.#next.rows.push(...rows)
    await this.#next.marked
  }

  #afterThat() {
    const rows: DeliveredRow[] = []
    const marked = this.#underWay.then(() => {
      this.#next = null
      return writeMarks(this.#db, rows)
    })
    // A failure rejects only for those who wait for these marks; the next marks are written all the
    // same.
    this.#underWay = marked.catch(() => undefined)
    return { rows, marked }
  }
}

interface DeliveredRow {
  readonly id: string
  readonly kind: string
}

async function writeMarks(db: Db, rows: readonly DeliveredRow[]): Promise<void> {
  const { signals = [], others = [] } = Object.groupBy(rows, ({ kind }) =>
    kind === 'signal_decided' ? 'signals' : 'others',
  )
  const idsOf = (some: readonly DeliveredRow[]) => eachOf(some.map(({ id }) => id))
  await sql`
    with delivered as (
      update outbox set delivered_at = clock_timestamp(), leased_until = null, lease_owner = null, last_error = null
      where id = any(array(select mark.id::bigint from ${idsOf(signals)} as mark(id)))
    ), removed as (
      delete from outbox where id = any(array(select mark.id::bigint from ${idsOf(others)} as mark(id)))
    )
    select set_config('synchronous_commit', 'off', true)
  `.execute(db)
}

/** Marks rows as undeliverable: the run has ended and its workflow no longer exists. */
export async function markUndeliverable(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('outbox')
    .set({ undeliverable_at: sql<Date>`clock_timestamp()`, leased_until: null })
    .where('id', 'in', [...ids])
    .execute()
}

/** Releases rows, to be tried again after a pause that grows with the attempts. */
export async function postpone(db: Db, rows: readonly LeasedRow[], reason: string): Promise<void> {
  for (const row of rows) {
    const pauseMs = Math.min(maxPauseMs, 100 * 2 ** Math.min(row.attempts, 7))
    await db
      .updateTable('outbox')
      .set({
        lease_owner: 'back-off',
        leased_until: sql<Date>`clock_timestamp() + ${pauseMs} * interval '1 millisecond'`,
        last_error: reason.slice(0, 500),
      })
      .where('id', '=', row.id)
      .execute()
  }
}
