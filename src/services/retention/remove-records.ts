import { sql } from 'kysely'
import type { Db } from '../../store/database.ts'

/** Rows of one kind that are no evidence and of no use any more, oldest first, found through an index. */
const removals = {
  /** delivered, or nobody was left to be told */
  outbox: (before: Before, most: number) => sql`
    delete from outbox where id in (
      select id from outbox where created_at < ${before}
        and (delivered_at is not null or undeliverable_at is not null) order by id limit ${most})`,
  /** of the live stream; the newest says where it stands */
  event: (before: Before, most: number) => sql`
    delete from event where id in (
      select id from event where sequence < (select max(sequence) from event)
        and created_at < ${before} order by sequence limit ${most})`,
  /** delivered or given up */
  delivery: (before: Before, most: number) => sql`
    delete from delivery where id in (
      select id from delivery where state in ('delivered', 'dead') and created_at < ${before}
      order by created_at, id limit ${most})`,
  /** answers to calls that are not repeated any more */
  idempotency: (before: Before, most: number) => sql`
    delete from idempotency where (principal, key) in (
      select principal, key from idempotency where created_at < ${before}
      order by created_at limit ${most})`,
  session: (before: Before, most: number) => sql`
    delete from session where token_hash in (
      select token_hash from session where expires_at < ${before} limit ${most})`,
  signInLink: (before: Before, most: number) => sql`
    delete from sign_in_link where token_hash in (
      select token_hash from sign_in_link where expires_at < ${before} limit ${most})`,
} as const

type Before = ReturnType<typeof sql>
export type RemovedRecords = Record<keyof typeof removals, number>

/** Of each kind at most so many in one statement: nobody waits for a long one. */
const atOnce = 1000

/**
 * Removes what the service itself needed and nobody needs any more: deliveries, sessions and the like that were over longer
 * ago than `olderThanMs`. No run, no request, no content and nothing of the trail. Stops between two statements.
 */
export async function removeRecords(
  db: Db,
  options: { readonly olderThanMs: number; readonly stopping: AbortSignal },
): Promise<RemovedRecords> {
  const before = sql`(clock_timestamp() - ${options.olderThanMs} * interval '1 millisecond')`
  const removed = { outbox: 0, event: 0, delivery: 0, idempotency: 0, session: 0, signInLink: 0 }
  for (const kind of Object.keys(removed) as (keyof RemovedRecords)[]) {
    for (let last = atOnce; last === atOnce && !options.stopping.aborted;) {
      const { numAffectedRows } = await removals[kind](before, atOnce).execute(db)
      last = Number(numAffectedRows ?? 0n)
      removed[kind] += last
    }
  }
  return removed
}
