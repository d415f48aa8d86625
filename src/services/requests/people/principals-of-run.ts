import { sql, type RawBuilder } from 'kysely'
import { eventDocument } from '#store/audit/event-document.ts'
import type { PrincipalReason } from '#domain/deciding/eligibility.ts'
import type { Db, Tx } from '#store/database.ts'

export interface Principal {
  readonly personId: string
  readonly why: PrincipalReason
}

/**
 * The people behind every request that this run opens now (product.md 17):
 * - who started it or a run above it, and who started it for the person of its schedule;
 * - the owners and proposers of the API keys that started one of these runs;
 * - who has posted a message to one of these runs, or answered a question of one;
 * - the people behind the run from which one of these runs was forked.
 *
 * They are frozen into a request when it opens. Rows of messages, answers, keys and forks are read,
 * and the trail too: the service's role in Postgres may delete such a row, but no event
 * (security.md 29). People whom either names are behind the run.
 */
export async function principalsOfRun(db: Db | Tx, runId: string): Promise<Principal[]> {
  return (await behindRun(runId).execute(db)).rows
}

/** The query of {@link principalsOfRun}. */
export function behindRun(runId: string): RawBuilder<Principal> {
  return sql<Principal>`
    with lineage as (
      select run.id, run.started_by, run.api_key_id, run.forked_from
      from run_lineage join run on run.id = run_lineage.ancestor_id
      where run_lineage.run_id = ${runId}
    ), trail as (
      select audit_event.type, parsed -> 'actor' as actor, parsed -> 'detail' as detail
      from lineage join audit_event on audit_event.run_id = lineage.id
      cross join lateral (select ${eventDocument} as parsed) as of_event
      where audit_event.type in ('run.started', 'run.messaged', 'decision.recorded')
    )
    select started_by as "personId",
           case when id = ${runId} then 'started' else 'started_above' end as why
    from lineage where started_by is not null
    union
    select api_key.owner_id, 'owns_key'
    from lineage join api_key on api_key.id = lineage.api_key_id
    union
    select api_key.proposed_by, 'proposed_key'
    from lineage join api_key on api_key.id = lineage.api_key_id
    where api_key.proposed_by is not null
    union
    select person.id, 'messaged'
    from lineage
    join message on message.run_id = lineage.id and message.role = 'user'
    join person on person.id::text = message.author->>'id'
    where message.author->>'type' = 'person'
    union
    select api_key.owner_id, 'messaged'
    from lineage
    join message on message.run_id = lineage.id and message.role = 'user'
    join api_key on api_key.id = message.author->>'id'
    where message.author->>'type' = 'machine'
    union
    select api_key.proposed_by, 'proposed_key'
    from lineage
    join message on message.run_id = lineage.id and message.role = 'user'
    join api_key on api_key.id = message.author->>'id'
    where message.author->>'type' = 'machine' and api_key.proposed_by is not null
    union
    select decision.person_id, 'answered'
    from lineage
    join request on request.run_id = lineage.id and request.kind = 'question'
    join decision on decision.request_id = request.id
    union
    select run_principal.person_id,
           case when lineage.forked_from is null then 'triggered' else 'forked_from' end
    from lineage join run_principal on run_principal.run_id = lineage.id
    union
    select person.id,
           case when jsonb_exists(detail, 'forkedFrom') then 'forked_from' else 'triggered' end
    from trail
    cross join lateral jsonb_array_elements_text(
      case jsonb_typeof(detail->'behind') when 'array' then detail->'behind' else '[]' end
    ) as behind(id)
    join person on person.id::text = behind.id
    where trail.type = 'run.started'
    union
    select person.id, case trail.type when 'run.messaged' then 'messaged' else 'answered' end
    from trail join person on person.id::text = actor->>'id'
    where actor->>'type' = 'person'
      and (trail.type = 'run.messaged'
        or trail.type = 'decision.recorded' and detail->>'kind' = 'question')
    union
    select person.id, case trail.type when 'run.messaged' then 'messaged' else 'owns_key' end
    from trail join person on person.id::text = actor->>'ownerId'
    where trail.type <> 'decision.recorded'
    union
    select person.id, 'proposed_key'
    from trail join person on person.id::text = actor->>'proposedBy'
    where trail.type <> 'decision.recorded'
  `
}
