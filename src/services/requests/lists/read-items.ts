import { sql } from 'kysely'
import { getRemainingTexts } from '#store/content/content.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import type { Db, Tx } from '#store/database.ts'
import type { Caller } from '../../core/context.ts'
import { readMessageText } from '../../transcript/messages.ts'
import { contentOfTask, laterMessages, personOfTask } from '../facts/read-tasks.ts'
import { taskLimits, taskWords } from '../words/task-words.ts'
import { askedBeforeRestore } from '../facts/asked-before-restore.ts'
import { carriedOut, sameCalls, maxAlike, similarCalls } from '../facts/alike-queries.ts'
import type { RequestItemRecord, TaskRecord } from '../facts/request-record.ts'
import { rowsOfHuman } from '../people/visible-to.ts'
import type { ItemRow, TaskJson } from './item-row.ts'
import { itemOf } from './item-of-row.ts'

/**
 * The items of lists, in the order of `ids`, in two queries, or in one without the texts of task
 * and model. `eligibility` is that of the caller. The function that chose the ids has judged
 * visibility.
 */
export async function readItems(
  db: Db | Tx,
  caller: Caller,
  ids: readonly string[],
  read: { readonly words: boolean } = { words: true },
): Promise<RequestItemRecord[]> {
  if (ids.length === 0) return []
  const personId = caller.actor.type === 'person' ? caller.actor.id : null
  const { rows } = await sql<ItemRow>`
    select request.*, run.worker, run.mode, run.workspace, tool_call.tool_call_id,
      request.expires_at <= clock_timestamp() as over,
      ${askedBeforeRestore} as before_restore,
      jsonb_build_object('same', (select count(*)::int from (${sameCalls(maxAlike.same)}) as twins),
        'similar', (select count(*)::int from (${similarCalls(maxAlike.similar)}) as others),
        'again', ${carriedOut}) as alike,
      (select json_build_object('invokedBy', json_build_object('id', p.id, 'name', p.name), 'afterTurn', m.after_turn)
        from manual_call m join person p on p.id = m.invoked_by
        where m.call_id = request.call_id and request.turn < 0) as manual,
      (select count(*)::int from tool_call c where c.run_id = request.run_id and c.turn = request.turn) as batch_size,
      (select json_build_object('person', json_build_object('id', p.id, 'name', p.name),
          'at', claim.claimed_at, 'leaseUntil', claim.lease_until)
        from claim join person p on p.id = claim.person_id
        where claim.request_id = request.id and claim.lease_until > clock_timestamp()
          and request.state = 'pending') as claim,
      (select json_build_object('person', json_build_object('id', handed.id, 'name', handed.name),
          'by', json_build_object('id', giver.id, 'name', giver.name), 'at', h.at)
        from request_handover h join person handed on handed.id = h.to_id
        join person giver on giver.id = h.by_id where h.request_id = request.id) as handed_to,
      (select until from request_snooze s where s.request_id = request.id and s.person_id = ${personId}
        and s.until > clock_timestamp() and request.state = 'pending') as snoozed_until,
      (select coalesce(json_agg(json_build_object('runId', above.id, 'worker', above.worker,
          'startedBy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end) order by l.depth), '[]')
        from run_lineage l join run above on above.id = l.ancestor_id left join person p on p.id = above.started_by
        where l.run_id = request.run_id) as lineage,
      (select coalesce(json_agg(json_build_object('personId', d.person_id, 'name', p.name,
          'enabled', p.disabled_at is null or request.state <> 'pending',
          'teams', array(select team from team_member where person_id = d.person_id)) order by d.at, d.id), '[]')
        from decision d join person p on p.id = d.person_id
        where d.request_id = request.id and d.revision = request.revision and d.decision = 'approve') as votes,
      (select json_build_object('state', permit.state, 'deciders',
          case when pg_input_is_valid(statement, 'jsonb') then statement::jsonb->'deciders' end) from permit
        where permit.request_id = request.id and permit.revision = request.revision limit 1) as permit,
      exists (select 1 from decision d where d.request_id = request.id and d.revision = request.revision
        and d.person_id = ${personId}) as voted,
      (select coalesce(json_agg(json_build_object('personId', ${personId}::uuid, 'why', q.why)), '[]')
        from request_principal q where q.request_id = request.id and q.person_id = any(${rowsOfHuman(personId)})) as behind,
      (select row_to_json(e) from execution e where e.call_id = request.call_id
          and (e.request_id = request.id or request.kind = 'outcome_check')
        order by e.attempt desc limit 1) as execution,
      (select json_build_object('id', p.id, 'name', p.name)
        from decision d join person p on p.id = d.person_id
        where d.request_id = request.id and d.revision = request.revision
          and request.state in ('approved', 'denied')
        order by d.at desc, d.id desc limit 1) as decided_by,
      (select json_build_object('id', p.id, 'enabled', p.disabled_at is null,
          'teams', array(select team from team_member where person_id = p.id))
        from person p where p.id = ${personId}) as viewer,
      (select json_build_object('externalId', e.external_id, 'verdict', e.verdict, 'worker', e.worker,
          'key', json_build_object('id', k.id, 'name', k.name),
          'owner', json_build_object('id', o.id, 'name', o.name),
          'onBehalfOf', (select json_build_object('id', p.id, 'name', p.name) from person p where p.id = e.on_behalf_of),
          'consumedAt', e.consumed_at, 'outcome', e.outcome, 'outcomeAt', e.outcome_at)
        from external_request e join api_key k on k.id = e.api_key_id join person o on o.id = e.owner_id
        where request.kind = 'external' and e.request_id = request.id) as external,
      (select case when jsonb_typeof(e.metadata->'task') <> 'string' then null
          when length(e.metadata->>'task') <= ${sql.lit(taskLimits.characters)} then e.metadata->>'task'
          else left(e.metadata->>'task', ${sql.lit(taskLimits.characters - 1)}) || '…' end
        from external_request e where request.kind = 'external' and e.request_id = request.id) as claimed_task,
      (select json_build_object('hash', words.hash, 'isInput', words.is_input, 'title', root.title, 'at', root.created_at,
          'bytes', (select size from content where content.hash = words.hash),
          'by', ${personOfTask('root')},
          'later', ${laterMessages('root')})
        from run root cross join lateral ${contentOfTask('root')} words
        where root.id = request.root_run_id) as task,
      shown.effect, shown.cues
    from request
    left join request_revision shown on shown.request_id = request.id and shown.revision = request.revision
    left join run on run.id = request.run_id
    left join tool_call on tool_call.id = request.call_id
    where ${isOneOf('request.id', ids)}
  `.execute(db)
  // A request that is erased at this moment is left out.
  const reasons = await getRemainingTexts(
    db,
    read.words ? rows.flatMap((row) => [...hashesOf(row)]) : [],
  )
  const items = new Map(
    rows.map((row) => {
      const reason = reasons.get(row.agent_reason_hash ?? '')
      const agentReason = reason === undefined ? null : readMessageText(reason)
      return [row.id, { ...itemOf(row, agentReason), task: taskOf(row.task, reasons) }]
    }),
  )
  return ids.flatMap((id) => items.get(id) ?? [])
}

/** The hashes of a row's texts. */
function* hashesOf({ agent_reason_hash: reason, task }: ItemRow): Generator<string> {
  if (reason !== null) yield reason
  if (task !== null && (task.bytes ?? 0) <= taskLimits.storedBytes) yield task.hash
}

function taskOf(task: TaskJson | null, texts: ReadonlyMap<string, string>): TaskRecord | null {
  if (task === null) return null
  const { hash, isInput, title, by, at, later, bytes } = task
  const storedText = texts.get(hash)
  const isErased = storedText === undefined && (bytes ?? 0) <= taskLimits.storedBytes
  if (isErased) return null
  return {
    text: storedText === undefined ? title : taskWords(storedText, isInput),
    by,
    at: new Date(at),
    later,
  }
}
