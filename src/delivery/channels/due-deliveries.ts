import { sql } from 'kysely'
import type { Db } from '../../store/database.ts'
import type { DueDelivery, SendOutcome } from './channel.ts'

/**
 * Takes up to `most` deliveries of an endpoint that are due, for `leaseMs`: should this process end before it says what
 * became of them, they are sent again then, with the same id.
 */
export async function takeDue(
  db: Db,
  options: { readonly endpoint: string; readonly most: number; readonly leaseMs: number },
): Promise<DueDelivery[]> {
  const { endpoint, most, leaseMs } = options
  const { rows } = await sql<DueDelivery>`
    update delivery set attempts = attempts + 1,
      next_attempt_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where id in (
      select id from delivery
      where endpoint = ${endpoint} and state = 'pending' and next_attempt_at <= clock_timestamp()
      order by next_attempt_at limit ${most} for update skip locked
    ) returning id, recipient, body, type, request_id as "requestId", attempts
  `.execute(db)
  return rows
}

/**
 * Records an attempt's outcome: delivered, due again after the next pause (or the longer one that the receiver asked
 * for), or dead when there is none left or no attempt ever will do. Returns the state; `null` when another has taken over.
 */
export async function recordAttempt(
  db: Db,
  due: DueDelivery,
  outcome: SendOutcome,
  pausesMs: readonly number[],
): Promise<'pending' | 'delivered' | 'dead' | null> {
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
