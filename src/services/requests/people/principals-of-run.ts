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

/**
 * The query of {@link principalsOfRun}. It reads each table by a key, run by run (offset 0), so
 * that no plan reads one whole, even if it was made before Postgres knew the sizes.
 */
export function behindRun(runId: string): RawBuilder<Principal> {
  return sql<Principal>`
    with lineage as materialized (
      select above.* from run_lineage cross join lateral (
        select id, started_by, api_key_id, forked_from from run where id = ancestor_id offset 0
      ) as above
      where run_lineage.run_id = ${runId}
    ), messaged as materialized (
      select author.* from lineage cross join lateral (
        select author->>'type' as type, author->>'id' as id
        from message where run_id = lineage.id and role = 'user' offset 0
      ) as author
    ), trail as materialized (
      select type, parsed -> 'actor' as actor, parsed -> 'detail' as detail
      from lineage cross join lateral (
        select type, ${eventDocument} as parsed from audit_event where run_id = lineage.id
          and type in ('run.started', 'run.messaged', 'decision.recorded') offset 0
      ) as of_run
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
    from messaged ${personOf(sql`messaged.id`)}
    where messaged.type = 'person'
    union
    select api_key.owner_id, 'messaged'
    from messaged join api_key on api_key.id = messaged.id
    where messaged.type = 'machine'
    union
    select api_key.proposed_by, 'proposed_key'
    from messaged join api_key on api_key.id = messaged.id
    where messaged.type = 'machine' and api_key.proposed_by is not null
    union
    select answer.person_id, 'answered'
    from lineage cross join lateral (
      select id from request where run_id = lineage.id and kind = 'question' offset 0
    ) as question cross join lateral (
      select person_id from decision where request_id = question.id offset 0
    ) as answer
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
    ${personOf(sql`behind.id`)}
    where trail.type = 'run.started'
    union
    select person.id, case trail.type when 'run.messaged' then 'messaged' else 'answered' end
    from trail ${personOf(sql`actor->>'id'`)}
    where actor->>'type' = 'person'
      and (trail.type = 'run.messaged'
        or trail.type = 'decision.recorded' and detail->>'kind' = 'question')
    union
    select person.id, case trail.type when 'run.messaged' then 'messaged' else 'owns_key' end
    from trail ${personOf(sql`actor->>'ownerId'`)}
    where trail.type <> 'decision.recorded'
    union
    select person.id, 'proposed_key'
    from trail ${personOf(sql`actor->>'proposedBy'`)}
    where trail.type <> 'decision.recorded'
  `
}

/** Joins the person with an id that may be any text, by the key. */
function personOf(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`cross join lateral (
    select id from person
    where id = case when pg_input_is_valid(${id}, 'uuid') then (${id})::uuid end offset 0
  ) as person`
}
