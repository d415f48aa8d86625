import { newId } from '#domain/new-id.ts'
import { sql } from 'kysely'
import type { Json } from '#domain/json/json.ts'
import type { CallResultType } from '#domain/requests/request.ts'
import { isEnd, runTransitions, transition } from '#domain/requests/transitions.ts'
import { getText, putContent } from '#store/content/content.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import { restEnded } from '../../core/runs/rest.ts'
import { lockLineage } from '../../core/locks.ts'
import { writeMessageText, nextSequence } from '../../transcript/messages.ts'
import { manualResultText } from '../../transcript/result-texts.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, workflow } from '../../core/authority.ts'

/**
 * Adds the result of a person's call to the transcript as a message of that person, which the next
 * turn reads (product.md 5). A run that waits for input continues, unless the call was denied with
 * `stop`. It does so once; for a call without a result, or of a run that has ended, it does
 * nothing.
 */
export async function enterManualResult(
  ctx: SystemContext,
  input: { readonly callId: string },
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, workflow), async (unit) => {
    const { tx } = unit
    const lineage = await lockLineage(
      tx,
      sql<string>`(select run_id from manual_call where call_id = ${input.callId})`,
    )
    const call = await readFinished(tx, input.callId)
    const run = lineage.find((ancestor) => ancestor.id === call?.run_id)
    if (call === undefined || run === undefined) return
    if (isEnd(runTransitions, run.state)) return
    const messageId = newId()
    const text = manualResultText({
      person: call.name,
      tool: call.tool,
      input: JSON.parse(await getText(tx, call.input_hash)) as Json,
      type: call.result_type,
      text: call.result_text_hash === null ? '' : await getText(tx, call.result_text_hash),
    })
    const author = { type: 'person', id: call.invoked_by, name: call.name } as const
    await tx
      .insertInto('message')
      .values({
        id: messageId,
        run_id: run.id,
        sequence: await nextSequence(tx, run.id),
        role: 'user',
        author: toJsonb(author),
        content_hash: await putContent(tx, writeMessageText(text)),
      })
      .execute()
    await tx
      .updateTable('manual_call')
      .set({ message_id: messageId })
      .where('call_id', '=', input.callId)
      .execute()
    await unit.audit({
      type: 'run.messaged',
      actor: author,
      runId: run.id,
      callId: input.callId,
      detail: { messageId, characters: text.length, resultOf: call.tool },
    })
    await unit.event('run.changed', { runId: run.id })
    if (run.state !== 'waiting_for_input' || call.denied_then === 'stop') return
    await tx
      .updateTable('run')
      .set({
        state: transition(runTransitions, run.state, 'resume') ?? run.state,
        failure: null,
        ...restEnded,
      })
      .where('id', '=', run.id)
      .execute()
  })
}

interface FinishedCall {
  readonly run_id: string
  readonly invoked_by: string
  readonly name: string
  readonly tool: string
  readonly input_hash: string
  readonly result_type: CallResultType
  readonly result_text_hash: string | null
  readonly denied_then: string | null
}

/**
 * A call with a result and without a message. Its input is that of the request, which a person may
 * have edited.
 */
async function readFinished(tx: Tx, callId: string): Promise<FinishedCall | undefined> {
  const { rows } = await sql<FinishedCall>`
    select manual_call.run_id, manual_call.invoked_by, person.name, tool_call.tool,
      coalesce(shown.input_hash, tool_call.input_hash) as input_hash,
      tool_call.result_type, tool_call.result_text_hash, request.denied_then
    from manual_call
    join tool_call on tool_call.id = manual_call.call_id
    join person on person.id = manual_call.invoked_by
    left join request on request.id = tool_call.request_id
    left join request_revision as shown
      on shown.request_id = request.id and shown.revision = request.revision
    where manual_call.call_id = ${callId} and manual_call.message_id is null
      and tool_call.result_type is not null
  `.execute(tx)
  return rows[0]
}
