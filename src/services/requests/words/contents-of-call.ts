import type { RequestErasure } from './erased-requests.ts'
import { sql, type RawBuilder } from 'kysely'
import { eventDocument } from '#store/audit/event-document.ts'
import type { Tx } from '#store/database.ts'
import { wordlessHash } from '../../transcript/messages.ts'
import type { CallOfRequest } from './call-of-request.ts'

/** One content that an erased request referred to; `revision`: the one that showed it. */
export type ErasedPart = RequestErasure['contents'][number]

/**
 * The rows of `message` with contents of a call: the model's messages from its turn on, and the
 * result of a person's call; all those of forks that took the call over; for runs that the call
 * started, their task and all their messages. Those that retention removed are left out.
 */
export function messagesWithContents({
  request,
  children,
  forks,
  fromTurn,
}: CallOfRequest): RawBuilder<boolean> {
  const childIds = children.map(({ id }) => id)
  return sql`
    content_hash <> ${wordlessHash} and run_id not in (select run_id from cleared_run) and (
      (role = 'assistant' and run_id = ${request.run_id}::uuid and turn >= ${fromTurn}::integer)
      or (run_id = any(${childIds}::uuid[]) and (role = 'assistant' or sequence = (
        select min(sequence) from message as own where own.run_id = message.run_id)))
      or (run_id = any(${forks.map(({ id }) => id)}::uuid[]) and role = 'assistant')
      or id in (select message_id from manual_call where call_id = ${request.call_id}::uuid)
    )
  `
}

/**
 * Every row of `content` with a call's input, presentation or result, and the model's messages from
 * its turn on, by request; the call's own belong to the request it was opened with. Where retention
 * cleared the run, results and messages are gone already. Only the trail names the words of an
 * outcome that was corrected.
 */
export async function contentsOfCall(
  tx: Tx,
  call: CallOfRequest,
): Promise<ReadonlyMap<string, readonly ErasedPart[]>> {
  const { request } = call
  const ids = call.requests.map(({ id }) => id)
  const childIds = call.children.map(({ id }) => id)
  const { rows } = await sql<ErasedPart & { requestId: string }>`
    with shown as (select * from request_revision where request_id = any(${ids}::uuid[])),
    part (request_id, "of", revision, hash) as (
      select request_id, 'input', revision, input_hash from shown
      union select request_id, 'presentation', revision, presentation_hash from shown
      union select request_id, 'content', revision, content_hash from shown
      union select request_id, 'file', null::integer, hash from request_file where request_id = any(${ids}::uuid[])
      union select request_id, 'claim', null, claim_hash from external_request where request_id = any(${ids}::uuid[])
      union select request_id, 'origin', null, origin_hash from external_request where request_id = any(${ids}::uuid[])
      union select request_id, 'summary', null, outcome_summary_hash from external_request where request_id = any(${ids}::uuid[])
      union select request_id, 'summary', null, ${eventDocument} -> 'detail' ->> 'summary' from audit_event
        where request_id = any(${ids}::uuid[]) and type in ('execution.unknown', 'execution.finished')
      union select request_id, 'result', null, result_hash from gateway_call where request_id = any(${ids}::uuid[])
      union select id, 'statement', null, agent_reason_hash from request where id = any(${ids}::uuid[])
      union select ${request.id}::uuid, 'arguments', null, input_hash from tool_call where id = ${request.call_id}::uuid
      union select ${request.id}::uuid, 'result', null, unnest(array[result_text_hash, result_output_hash]) from tool_call
        where id = ${request.call_id}::uuid and run_id not in (select run_id from cleared_run)
      union select ${request.id}::uuid, 'result', null, output_hash from execution where call_id = ${request.call_id}::uuid
      union select ${request.id}::uuid, 'result', null, hash from kept_stream where call_id = ${request.call_id}::uuid
      union select ${request.id}::uuid, 'result', null, hash from result_file where call_id = ${request.call_id}::uuid
      union select ${request.id}::uuid, 'task', null, input_digest from run where id = any(${childIds}::uuid[])
      union select ${request.id}::uuid, 'words', null, content_hash from message where ${messagesWithContents(call)}
    )
    select part.request_id as "requestId", part."of", part.revision, part.hash, content.size as bytes
    from part join content using (hash) where hash <> ${wordlessHash}
    order by part.request_id, part."of", part.revision, part.hash
  `.execute(tx)
  const parts = Map.groupBy(rows, ({ requestId }) => requestId)
  return new Map(ids.map((id) => [id, (parts.get(id) ?? []).map(withoutRequest)]))
}

function withoutRequest({ of, revision, hash, bytes }: ErasedPart): ErasedPart {
  return { of, revision, hash, bytes }
}
