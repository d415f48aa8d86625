import { sql, type RawBuilder } from 'kysely'
import type { Caller } from '../../core/context.ts'
import { inQuorumOf, isQuestionTo, rowsOfHuman } from '../people/visible-to.ts'

/**
 * Pending requests. They come before ended ones, at rank 12: with both conditions an index of all
 * requests of a person is read up to there.
 */
export const isPending = sql<boolean>`(request.state = 'pending' and request.urgency_rank < 12)`

/** A snooze ends at the latest this many minutes before the deadline. */
const nearDeadlineMinutes = 60

/** Whether the caller has put a request off until later than now. */
export function isSnoozed(caller: Caller): RawBuilder<boolean> {
  if (caller.actor.type !== 'person') return sql<boolean>`false`
  return sql<boolean>`coalesce((
    select true from request_snooze s where s.request_id = request.id
      and s.person_id = ${caller.actor.id} and s.until > clock_timestamp() limit 1), false)`
}

/** When a snooze until then stops hiding a pending request from the person's own. */
export const endOfSnooze = sql<Date>`least(request_snooze.until,
  request.expires_at - ${sql.lit(nearDeadlineMinutes)} * interval '1 minute')`

/** Requests that this person may decide and has not snoozed. */
export function waitsForCaller(caller: Caller): RawBuilder<boolean> {
  if (caller.actor.type !== 'person') return sql<boolean>`false`
  return sql<boolean>`(${mayDecideNow(caller)} and not (${isSnoozed(caller)}
    and request.expires_at > clock_timestamp() + ${nearDeadlineMinutes} * interval '1 minute'))`
}

/**
 * Requests that this person may decide and has not voted on, by the rules of the decision, for many
 * rows at once. Under an `or` or a `filter`, Postgres would hash the whole table for an `exists`;
 * these look rows up one by one.
 */
export function mayDecideNow(caller: Caller): RawBuilder<boolean> {
  if (caller.actor.type !== 'person') return sql<boolean>`false`
  const personId = caller.actor.id
  return sql<boolean>`(
    request.state = 'pending' and request.expires_at > clock_timestamp()
    and (${inQuorumOf('request', personId)} or ${isQuestionTo('request', sql`${personId}::uuid`)})
    and exists (select 1 from person where person.id = ${personId} and person.disabled_at is null)
    and (request.routing->'selfApproval' = 'true'::jsonb or not coalesce((
      select true from request_principal p
      where p.request_id = request.id and p.person_id = any(${rowsOfHuman(personId)}) limit 1), false)
      or ${isQuestionTo('request', sql`${personId}::uuid`)})
    and not coalesce((
      select true from decision d where d.request_id = request.id
        and d.revision = request.revision and d.person_id = ${personId} limit 1), false)
  )`
}
