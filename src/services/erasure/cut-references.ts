import { sql } from 'kysely'
import { canonicalJson } from '#domain/json/digest.ts'
import { putContents } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import { makePresentation } from '#tools/presentations/make-presentation.ts'
import { callbackEndpoint } from '../requests/ending/notify-program.ts'
import { writeMessageText } from '../transcript/messages.ts'
import type { CallOfRequest } from '../requests/words/call-of-request.ts'
import { messagesWithContents } from '../requests/words/contents-of-call.ts'

/**
 * Makes every row that refers to contents of a call refer to the sentence `notice` instead, so that
 * readers need no special case. Digests, hashes in the trail and signed statements stay. The caller
 * holds the locks of `call`.
 */
export async function cutReferences(tx: Tx, call: CallOfRequest, notice: string): Promise<void> {
  const [input = '', presentation = '', text = '', message = ''] = await putContents(tx, [
    canonicalJson({ erased: notice }),
    canonicalJson(noticePresentation(notice)),
    notice,
    writeMessageText(notice),
  ])
  await cutRequests(tx, call, { input, presentation, text, message, notice: notice })
  if (call.request.call_id !== null) await cutCall(tx, call, { input, text, notice: notice })
  await cutWords(tx, call, { message, notice: notice })
  await dropNotifications(
    tx,
    call.requests.map(({ id }) => id),
  )
}

function noticePresentation(notice: string) {
  return makePresentation({
    type: 'text',
    language: null,
    content: `${notice}\n`,
    metadata: {},
    warnings: [],
  })
}

/** Of the facts only the tool's hash stays: paths are contents too. */
const bareFacts = sql`jsonb_build_object('toolHash', facts->'toolHash', 'bases', '[]'::jsonb)`

/** A rule of policy quotes nobody; a sentence in place of a rule may quote the call. */
function bareRule(notice: string) {
  return sql`case when rule->>'source' is null then jsonb_set(rule, '{text}', to_jsonb(${notice}::text)) else rule end`
}

async function cutRequests(
  tx: Tx,
  call: CallOfRequest,
  replacements: {
    input: string
    presentation: string
    text: string
    message: string
    notice: string
  },
): Promise<void> {
  const ids = call.requests.map(({ id }) => id)
  await sql`
    with revised as (
      update request_revision set title = 'Call ' || request.tool || ' (contents erased)', facts = ${bareFacts}, effect = null, cues = null,
        input_hash = ${replacements.input}, presentation_hash = ${replacements.presentation}, content_hash = ${replacements.text}, content_type = 'text/plain'
      from request where request.id = request_id and request_id = any(${ids}::uuid[])
    ), files as (
      delete from request_file where request_id = any(${ids}::uuid[])
    ), programs as (
      update external_request set metadata = null, claim_hash = null, origin_hash = null, outcome_summary_hash = null
      where request_id = any(${ids}::uuid[])
    ), gateway as (
      update gateway_call set result_hash = null, refusal_reason = null
      where request_id = any(${ids}::uuid[])
    )
    update request set title = 'Call ' || tool || ' (contents erased)', rule = ${bareRule(replacements.notice)}
    where id = any(${ids}::uuid[])
  `.execute(tx)
  await sql`
    update request set agent_reason_hash = ${replacements.message}
    where id = any(${[...ids, ...call.others]}::uuid[]) and agent_reason_hash is not null
  `.execute(tx)
}

async function cutCall(
  tx: Tx,
  { request: { call_id: callId } }: CallOfRequest,
  replacements: { input: string; text: string; notice: string },
): Promise<void> {
  await sql`
    with streams as (
      delete from kept_stream where call_id = ${callId}
    ), files as (
      delete from result_file where call_id = ${callId}
    ), changes as (
      delete from file_change where call_id = ${callId}
    ), live as (
      delete from live_output where call_id = ${callId}
    ), attempts as (
      update execution set output_hash = null, detail = null, more_changes = null
      where call_id = ${callId}
    )
    update tool_call set input_hash = ${replacements.input}, facts = case when facts is null then null else ${bareFacts} end,
      rule = ${bareRule(replacements.notice)}, result_output_hash = null,
      result_text_hash = case when result_text_hash is null or run_id in (select run_id from cleared_run)
        then result_text_hash else ${replacements.text} end
    where id = ${callId}
  `.execute(tx)
}

async function cutWords(
  tx: Tx,
  call: CallOfRequest,
  replacements: { message: string; notice: string },
): Promise<void> {
  const { request, children, repeating } = call
  if (request.run_id === null) return
  const childIds = children.map(({ id }) => id)
  await sql`
    with words as (
      update message set content_hash = ${replacements.message} where ${messagesWithContents(call)}
    ), summaries as (
      update run_window set text = ${replacements.notice} where text is not null and (
        (through_turn >= ${call.fromTurn}::integer and run_id = ${request.run_id})
        or run_id = any(${repeating}::uuid[]))
    )
    update run set output = case when output is null then null else ${replacements.notice} end,
      title = case when id = any(${childIds}::uuid[]) then ${replacements.notice} else title end
    where id = ${request.run_id} or id = any(${repeating}::uuid[])
  `.execute(tx)
}

/** Notifications contain the title. Callbacks of programs contain only ids, and stay. */
async function dropNotifications(tx: Tx, requestIds: readonly string[]): Promise<void> {
  const links = requestIds.map((id) => `%/requests/${id}%`)
  await sql`
    delete from delivery where endpoint <> ${callbackEndpoint} and (
      request_id = any(${requestIds}::uuid[]) or (request_id is null and body like any(${links}::text[]))
    )
  `.execute(tx)
}
