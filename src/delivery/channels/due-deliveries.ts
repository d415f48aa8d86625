import { sql } from 'kysely'
import type { DeliveryState } from '#domain/channels/delivery-state.ts'
import type { Db } from '#store/database.ts'
import type { DueDelivery, SendOutcome } from './channel.ts'

/**
 * Of these, places are given out: a recipient that has many due keeps nobody from theirs for long.
 */
const dueAtOnce = 500

export interface Places {
  readonly endpoint: string
  readonly most: number
  readonly leaseMs: number
  /** how many may be on their way to one recipient, and to whom some are already */
  readonly perRecipient: number
  readonly underWay: readonly string[]
}

/**
 * Takes up to `most` deliveries of an endpoint that are due, for `leaseMs`: should this process end
 * before it says what became of them, they are sent again then, with the same id. Of those due, a
 * recipient's oldest come first, and no more than it has places.
 */
export async function takeDue(db: Db, places: Places): Promise<DueDelivery[]> {
  const { endpoint, most, leaseMs, perRecipient, underWay } = places
  const { rows } = await sql<DueDelivery>`
    with busy as (
      select recipient, count(*) as taken from unnest(${[...underWay]}::text[]) as way(recipient) group by recipient
    ), due as (
      select id, next_attempt_at,
        row_number() over (partition by recipient order by next_attempt_at)
          + coalesce((select taken from busy where busy.recipient = oldest.recipient), 0) as place
      from (
        select id, recipient, next_attempt_at from delivery
        where endpoint = ${endpoint} and state = 'pending' and next_attempt_at <= clock_timestamp()
          and recipient <> all(select recipient from busy where taken >= ${perRecipient})
        order by next_attempt_at limit ${dueAtOnce}
      ) oldest
    )
    update delivery set attempts = attempts + 1,
      next_attempt_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where id in (
      select id from delivery
      where id in (
        select id from due where place <= ${perRecipient} order by next_attempt_at limit ${most}
      ) and state = 'pending' and next_attempt_at <= clock_timestamp()
      for update skip locked
    ) returning id, recipient, body, type, request_id as "requestId", attempts
  `.execute(db)
  return rows
}

/**
 * Records an attempt's outcome: delivered, due again after the next pause (or the longer one that
 * the receiver asked for), or dead when there is none left or no attempt ever will do. Returns the
 * state; `null` when another has taken over.
 */
export async function recordAttempt(
  db: Db,
  due: DueDelivery,
  outcome: SendOutcome,
  pausesMs: readonly number[],
): Promise<DeliveryState | null> {
  const pause = outcome.isFinal === true ? undefined : pausesMs[due.attempts - 1]
  const state = outcome.error === null ? 'delivered' : pause === undefined ? 'dead' : 'pending'
  const ended = state === 'pending' ? null : sql<Date>`clock_timestamp()`
  const waitMs = Math.max(pause ?? 0, outcome.retryAfterMs ?? 0)
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set({
      state,
      last_status: outcome.status,
      last_error: outcome.error,
      ended_at: ended,
      next_attempt_at: sql`clock_timestamp() + ${waitMs} * interval '1 millisecond'`,
    })
    .where('id', '=', due.id)
    .where('state', '=', 'pending')
    .where('attempts', '=', due.attempts)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 0n ? null : state
}
