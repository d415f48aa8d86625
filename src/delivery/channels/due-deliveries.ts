import { sql, type RawBuilder } from 'kysely'
import type { DeliveryState } from '#domain/channels/delivery-state.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import { eachOf } from '#store/connection/each-of.ts'
import { isAhead } from '#store/connection/is-ahead.ts'
import type { Db } from '#store/database.ts'
import type { DueDelivery, SendOutcome } from './channel.ts'

/** How many due rows are read, so that a recipient with many delays others little. */
const dueAtOnce = 2000
/** The longest pause that a receiver can ask for; also longer than a lease. */
const maxDemandedMs = 60 * 60_000
/** A clock that was set back by less sends no delivery early that was put off. */
const smallStepMs = 60_000

export interface Slots {
  readonly endpoint: string
  readonly maxDeliveries: number
  readonly leaseMs: number
  /** the pauses of `recordAttempt` */
  readonly pausesMs: readonly number[]
  /** concurrent deliveries to one recipient, and those already running */
  readonly perRecipient: number
  readonly underWay: readonly string[]
}

/** A due delivery with the rest of its sealed row. */
export interface DueRow extends DueDelivery {
  readonly eventId: string
  readonly seal: string | null
}

/** Whether this service wrote a delivery for this endpoint, as it is. */
export function isVouched(seals: Seals, endpoint: string, due: DueRow): boolean {
  const { eventId: event_id, requestId: request_id, ...row } = due
  return seals.holds('delivery', { ...row, endpoint, event_id, request_id })
}

/** Whether a delivery is due. Its first attempt may be put off when it is created (`notBefore`). */
function isDue(pausesMs: readonly number[]): RawBuilder<boolean> {
  const maxAheadMs = sql<number>`case attempts
    when 0 then extract(epoch from next_attempt_at - created_at) * 1000 + ${sql.lit(smallStepMs)}
    else greatest((${pausesMs}::float8[])[attempts], ${sql.lit(maxDemandedMs)}) end`
  return sql<boolean>`not ${isAhead('next_attempt_at', maxAheadMs)}`
}

/** Those of the endpoints that have a due delivery. */
export async function endpointsWithDue(
  db: Db,
  endpoints: readonly string[],
  pausesMs: readonly number[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select name from ${eachOf(endpoints)} as one(name) where exists (
      select from delivery
      where endpoint = name and state = 'pending' and ${isDue(pausesMs)}
    )
  `.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/**
 * Leases up to `maxDeliveries` due deliveries of an endpoint for `leaseMs`: if this process ends
 * without a result, they are sent again, with the same id. A recipient's oldest come first, within
 * its slots; recipients with fewer under way precede those with more.
 */
export async function takeDue(db: Db, slots: Slots): Promise<DueRow[]> {
  const { endpoint, maxDeliveries, leaseMs, pausesMs, perRecipient, underWay } = slots
  const { rows } = await sql<DueRow>`
    with busy as (
      select recipient, count(*) as taken from ${eachOf(underWay)} as way(recipient) group by recipient
    ), due as (
      select id, next_attempt_at,
        row_number() over (partition by recipient order by next_attempt_at)
          + coalesce((select taken from busy where busy.recipient = oldest.recipient), 0) as place
      from (
        select id, recipient, next_attempt_at from delivery
        where endpoint = ${endpoint} and state = 'pending' and ${isDue(pausesMs)}
          and recipient <> all(select recipient from busy where taken >= ${perRecipient})
        order by next_attempt_at limit ${sql.lit(dueAtOnce)}
      ) oldest
    )
    update delivery set attempts = attempts + 1,
      next_attempt_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where id in (
      select id from delivery
      where id in (
        select id from due where place <= ${perRecipient} order by place, next_attempt_at limit (select ${maxDeliveries}::int)
      ) and state = 'pending' and ${isDue(pausesMs)}
      for update skip locked
    ) returning id, recipient, body, type, request_id as "requestId", attempts,
      event_id as "eventId", seal
  `.execute(db)
  return rows
}

/**
 * Records an attempt's result: delivered, due again after the next pause (or the longer one that
 * the receiver asked for, an hour at most), or dead. Returns the state; `null` when another process
 * has taken over.
 */
export async function recordAttempt(
  db: Db,
  due: DueDelivery,
  outcome: SendOutcome,
  pausesMs: readonly number[],
): Promise<DeliveryState | null> {
  const pause = outcome.isFinal === true ? undefined : pausesMs[due.attempts - 1]
  const state = outcome.error === null ? 'delivered' : pause === undefined ? 'dead' : 'pending'
  const endedAt = state === 'pending' ? null : sql<Date>`clock_timestamp()`
  const waitMs = Math.max(pause ?? 0, Math.min(outcome.retryAfterMs ?? 0, maxDemandedMs))
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set({
      state,
      last_status: outcome.status,
      last_error: outcome.error,
      ended_at: endedAt,
      next_attempt_at: sql`clock_timestamp() + ${waitMs} * interval '1 millisecond'`,
    })
    .where('id', '=', due.id)
    .where('state', '=', 'pending')
    .where('attempts', '=', due.attempts)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 0n ? null : state
}
