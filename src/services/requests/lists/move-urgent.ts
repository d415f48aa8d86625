import { sql } from 'kysely'
import type { Db } from '#store/database.ts'

/** Rows of a statement; a round uses as many statements as it needs. */
const batchSize = 500

/**
 * Updates the place of requests in the order by urgency when their deadlines reach a nearer class,
 * together with the other pending requests of the same turn. It changes nothing else, publishes
 * nothing, and waits for no lock: a request that is being decided is updated in the next round.
 * `more`: others are due.
 */
export async function moveUrgent(db: Db): Promise<{ moved: number; more: boolean }> {
  const { rows } = await sql<{ due: number; moved: number }>`
    with due as (
      select id, run_id, turn from request
      where state = 'pending' and urgency_next_at < clock_timestamp()
      order by urgency_next_at limit ${batchSize} for update skip locked),
    others as (
      select id from request
      where state = 'pending' and (run_id, turn) in (select run_id, turn from due)
      for update skip locked),
    moved as (
      update request set urgency_rank = first.rank, urgency_at = first.at,
        urgency_next_at = urgency_next_at(request.expires_at, clock_timestamp())
      from (select id from due union select id from others) as standing
      join request as old on old.id = standing.id
      cross join lateral (
        select urgency_rank(one.risk, one.expires_at, clock_timestamp()) as rank,
          urgency_at(one.state, one.created_at) as at
        from request as one
        where one.id = old.id
          or (one.run_id = old.run_id and one.turn = old.turn and one.state = 'pending')
        order by 1, 2 limit 1) as first
      where request.id = old.id
      returning request.id)
    select (select count(*)::int from due) as due, (select count(*)::int from moved) as moved
  `.execute(db)
  const { due = 0, moved = 0 } = rows[0] ?? {}
  return { moved, more: due === batchSize }
}
