import { sql } from 'kysely'
import { canonicalJson } from '../../domain/digest.ts'
import { putContents } from '../../store/content/content.ts'
import type { Tx } from '../../store/database.ts'
import { makePresentation } from '../../tools/presentations/make-presentation.ts'
import { callbackEndpoint } from '../external/tell-program.ts'
import { writeMessageText } from '../runs/transcript/message-text.ts'
import type { CallOfRequest } from './call-of-request.ts'
import { tellingMessages } from './contents-of-call.ts'

/**
 * Has every row that held what a call holds refer to the sentence `said` instead: what reads them needs to know of nothing.
 * Digests, hashes in the trail and signed statements stay as they are. The caller holds the locks of `call`.
 */
export async function cutReferences(tx: Tx, call: CallOfRequest, said: string): Promise<void> {
  const [input = '', presentation = '', text = '', message = ''] = await putContents(tx, [
    canonicalJson({ erased: said }),
    canonicalJson(shownInstead(said)),
    said,
    writeMessageText(said),
  ])
  await cutRequests(tx, call, { input, presentation, text, message, said })
  if (call.asked.call_id !== null) await cutCall(tx, call, { input, text, said })
  await cutWords(tx, call, { message, said })
  await dropNotifications(
    tx,
    call.requests.map(({ id }) => id),
  )
}

function shownInstead(said: string) {
  return makePresentation({
    type: 'text',
    language: null,
    content: `${said}\n`,
    metadata: {},
    warnings: [],
  })
}

/** Of facts only the tool's hash stays: paths are contents too. */
const bareFacts = sql`jsonb_build_object('toolHash', facts->'toolHash', 'bases', '[]'::jsonb)`

/** A rule of policy is nobody's content; what was said in place of one may quote the call. */
function bareRule(said: string) {
  return sql`case when rule->>'source' is null then jsonb_set(rule, '{text}', to_jsonb(${said}::text)) else rule end`
}

async function cutRequests(
  tx: Tx,
  call: CallOfRequest,
  by: { input: string; presentation: string; text: string; message: string; said: string },
): Promise<void> {
  const ids = call.requests.map(({ id }) => id)
  await sql`
    with revised as (
      update request_revision set title = 'Call ' || request.tool || ' (contents erased)', facts = ${bareFacts},
        input_hash = ${by.input}, presentation_hash = ${by.presentation}, content_hash = ${by.text}, content_type = 'text/plain'
      from request where request.id = request_id and request_id = any(${ids}::uuid[])
    ), files as (
      delete from request_file where request_id = any(${ids}::uuid[])
    ), programs as (
      update external_request set metadata = null, claim_hash = null, outcome_summary_hash = null
      where request_id = any(${ids}::uuid[])
    )
    update request set title = 'Call ' || tool || ' (contents erased)', rule = ${bareRule(by.said)}
    where id = any(${ids}::uuid[])
  `.execute(tx)
  await sql`
    update request set agent_reason_hash = ${by.message}
    where id = any(${[...ids, ...call.others]}::uuid[]) and agent_reason_hash is not null
  `.execute(tx)
}

async function cutCall(
  tx: Tx,
  { asked: { call_id: callId } }: CallOfRequest,
  by: { input: string; text: string; said: string },
): Promise<void> {
  await sql`
    with streams as (
      delete from kept_stream where call_id = ${callId}
    ), files as (
      delete from result_file where call_id = ${callId}
    ), live as (
      delete from live_output where call_id = ${callId}
    ), attempts as (
      update execution set output_hash = null, detail = null where call_id = ${callId}
    )
    update tool_call set input_hash = ${by.input}, facts = case when facts is null then null else ${bareFacts} end,
      rule = ${bareRule(by.said)}, result_output_hash = null,
      result_text_hash = case when result_text_hash is null or run_id in (select run_id from cleared_run)
        then result_text_hash else ${by.text} end
    where id = ${callId}
  `.execute(tx)
}

async function cutWords(
  tx: Tx,
  call: CallOfRequest,
  by: { message: string; said: string },
): Promise<void> {
  const { asked, children } = call
  if (asked.run_id === null) return
  const below = children.map(({ id }) => id)
  await sql`
    with words as (
      update message set content_hash = ${by.message} where ${tellingMessages(call)}
    )
    update run set output = case when output is null then null else ${by.said} end,
      title = case when id = ${asked.run_id} then title else ${by.said} end
    where id = ${asked.run_id} or id = any(${below}::uuid[])
  `.execute(tx)
}

/** What was sent, or is about to be, has the title. Callbacks of programs have ids only, and stay. */
async function dropNotifications(tx: Tx, requestIds: readonly string[]): Promise<void> {
  const links = requestIds.map((id) => `%/requests/${id}%`)
  await sql`
    delete from delivery where endpoint <> ${callbackEndpoint} and (
      request_id = any(${requestIds}::uuid[]) or (request_id is null and body like any(${links}::text[]))
    )
  `.execute(tx)
}
