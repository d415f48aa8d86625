import { sql, type RawBuilder } from 'kysely'
import { askedBeforeRestore } from '../facts/asked-before-restore.ts'
import { carriedOut, maxAlike, sameCalls, similarCalls } from '../facts/alike-queries.ts'
import { contentOfTask, laterMessages, personOfTask } from '../facts/read-tasks.ts'
import { isAttemptOfRequest } from '../facts/newest-execution.ts'
import { rowsOfHuman } from '../people/visible-to.ts'

/**
 * The columns of an `ItemRow`, from `request`, its revision `shown`, `run` and `tool_call`.
 * `personId`: who reads the list; `null`: a machine.
 */
export function itemColumns(personId: string | null): RawBuilder<unknown> {
  return sql`request.*, ${callColumns}, ${attentionColumns}, ${decisionColumns},
    ${readerColumns(personId)}, ${programColumns}, ${taskColumn}, shown.effect, shown.cues`
}

/** The call: its run, its turn, calls like it, and its newest execution. */
const callColumns = sql`
  run.worker, run.mode, run.workspace, tool_call.tool_call_id,
  request.expires_at <= clock_timestamp() as over,
  ${askedBeforeRestore} as before_restore,
  jsonb_build_object('same', (select count(*)::int from (${sameCalls(maxAlike.same)}) as twins),
    'similar', (select count(*)::int from (${similarCalls(maxAlike.similar)}) as others),
    'again', ${carriedOut}) as alike,
  (select json_build_object('invokedBy', json_build_object('id', p.id, 'name', p.name), 'afterTurn', m.after_turn)
    from manual_call m join person p on p.id = m.invoked_by
    where m.call_id = request.call_id and request.turn < 0) as manual,
  (select count(*)::int from tool_call c where c.run_id = request.run_id and c.turn = request.turn) as batch_size,
  (select coalesce(json_agg(json_build_object('runId', above.id, 'worker', above.worker,
      'startedBy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end) order by l.depth), '[]')
    from run_lineage l join run above on above.id = l.ancestor_id left join person p on p.id = above.started_by
    where l.run_id = request.run_id) as lineage,
  (select row_to_json(execution) from execution where execution.call_id = request.call_id
      and (${isAttemptOfRequest} or request.kind = 'outcome_check')
    order by execution.attempt desc limit 1) as execution`

/** Which of the queue's people look at it, or were asked to. */
const attentionColumns = sql`
  (select json_build_object('person', json_build_object('id', p.id, 'name', p.name),
      'at', claim.claimed_at, 'leaseUntil', claim.lease_until)
    from claim join person p on p.id = claim.person_id
    where claim.request_id = request.id and claim.lease_until > clock_timestamp()
      and request.state = 'pending') as claim,
  (select json_build_object('person', json_build_object('id', handed.id, 'name', handed.name),
      'by', json_build_object('id', giver.id, 'name', giver.name), 'at', h.at)
    from request_handover h join person handed on handed.id = h.to_id
    join person giver on giver.id = h.by_id where h.request_id = request.id) as handed_to`

/** The approvals of the revision, its permit, and who decided. */
const decisionColumns = sql`
  (select coalesce(json_agg(json_build_object('personId', d.person_id, 'name', p.name,
      'enabled', p.disabled_at is null or request.state <> 'pending',
      'teams', array(select team from team_member where person_id = d.person_id)) order by d.at, d.id), '[]')
    from decision d join person p on p.id = d.person_id
    where d.request_id = request.id and d.revision = request.revision and d.decision = 'approve') as votes,
  (select json_build_object('state', permit.state, 'deciders',
      case when pg_input_is_valid(statement, 'jsonb') then statement::jsonb->'deciders' end) from permit
    where permit.request_id = request.id and permit.revision = request.revision limit 1) as permit,
  (select json_build_object('id', p.id, 'name', p.name)
    from decision d join person p on p.id = d.person_id
    where d.request_id = request.id and d.revision = request.revision
      and request.state in ('approved', 'denied')
    order by d.at desc, d.id desc limit 1) as decided_by`

/** The rights of the reader, and what they did about the request. */
const readerColumns = (personId: string | null): RawBuilder<unknown> => sql`
  (select until from request_snooze s where s.request_id = request.id and s.person_id = ${personId}
    and s.until > clock_timestamp() and request.state = 'pending') as snoozed_until,
  exists (select 1 from decision d where d.request_id = request.id and d.revision = request.revision
    and d.person_id = ${personId}) as voted,
  (select coalesce(json_agg(json_build_object('personId', ${personId}::uuid, 'why', q.why)), '[]')
    from request_principal q where q.request_id = request.id and q.person_id = any(${rowsOfHuman(personId)})) as behind,
  (select json_build_object('id', p.id, 'enabled', p.disabled_at is null,
      'teams', array(select team from team_member where person_id = p.id))
    from person p where p.id = ${personId}) as viewer`

/** The request of a program, and the task that the program states. */
const programColumns = sql`
  (select json_build_object('externalId', e.external_id, 'verdict', e.verdict, 'worker', e.worker,
      'key', json_build_object('id', k.id, 'name', k.name),
      'owner', json_build_object('id', o.id, 'name', o.name),
      'onBehalfOf', (select json_build_object('id', p.id, 'name', p.name) from person p where p.id = e.on_behalf_of),
      'consumedAt', e.consumed_at, 'outcome', e.outcome, 'outcomeAt', e.outcome_at,
      'outcomeFrom', case when found.state in ('approved', 'denied') then 'person'
        when g.request_id is not null or e.deployment is not null then 'service' else 'program' end)
    from external_request e join api_key k on k.id = e.api_key_id join person o on o.id = e.owner_id
    left join gateway_call g on g.request_id = e.request_id
    left join request found on found.id = g.outcome_check_id and found.kind = 'outcome_check'
      and found.outcome_of = e.request_id
    where request.kind = 'external' and e.request_id = request.id) as external,
  (select case when jsonb_typeof(e.metadata->'task') = 'string' then e.metadata->>'task' end
    from external_request e where request.kind = 'external' and e.request_id = request.id) as claimed_task`

/** The words that the root run works on. */
const taskColumn = sql`
  (select json_build_object('hash', words.hash, 'isInput', words.is_input, 'title', root.title, 'at', root.created_at,
      'bytes', (select case when encoding = 'removed' then 0 else size end from content
        where content.hash = words.hash),
      'by', ${personOfTask('root')},
      'later', ${laterMessages('root')})
    from run root cross join lateral ${contentOfTask('root')} words
    where root.id = request.root_run_id) as task`
