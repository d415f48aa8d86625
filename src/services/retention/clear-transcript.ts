import { sql } from 'kysely'
import { putContents } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import { releaseContent } from '#store/content/drop-content.ts'
import { lockRun } from '../core/locks.ts'
import { writeMessageText } from '../transcript/messages.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import type { SystemContext } from '../core/context.ts'
import { bySystem, type SystemCaller } from '../core/authority.ts'
import { isRunDue } from './due-runs.ts'

/** The amounts that were removed from one run. */
export interface ClearedAmounts {
  readonly messages: number
  readonly results: number
}

/** The caller of what retention removes. */
export const retention: SystemCaller = {
  actor: { type: 'system', name: 'retention' },
  channel: 'system',
}

/**
 * Removes the texts of a run that has ended: its messages, the results of its calls, its output.
 * Evidence stays: the calls, the requests and their presentations, the decisions with reasons, and
 * every event of the trail. A notice says when the texts were removed, and by which rule. Returns
 * `null` when that was done before, or the run is not due: it may have been forked since the sweep
 * read which runs are.
 */
export async function clearTranscript(
  ctx: SystemContext,
  input: { readonly runId: string; readonly rule: string; readonly olderThanMs: number },
): Promise<ClearedAmounts | null> {
  const { runId, rule, olderThanMs } = input
  return inUnitOfWork(ctx, bySystem(ctx, retention), async (unit) => {
    await lockRun(unit.tx, runId)
    if (!(await isRunDue(unit.tx, runId, olderThanMs))) return null
    await unit.tx.insertInto('cleared_run').values({ run_id: runId, rule }).execute()
    const released = await hashesOfRun(unit.tx, runId)
    const notice = `[removed on ${new Date().toISOString().slice(0, 10)}: retention ${rule}]`
    const [message, text] = await putContents(unit.tx, [writeMessageText(notice), notice])
    if (message === undefined || text === undefined) throw new Error('Content was not stored')
    const cleared = await replaceWords(unit.tx, runId, { message, text, notice })
    await releaseContent(unit.tx, released)
    await unit.audit({
      type: 'content.erased',
      runId,
      detail: { rule, ...cleared },
    })
    await unit.event('run.changed', { runId })
    return cleared
  })
}

/** Every hash that the run's messages and results refer to. */
async function hashesOfRun(tx: Tx, runId: string): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    select content_hash as hash from message where run_id = ${runId}
    union select result_text_hash from tool_call
      where run_id = ${runId} and result_text_hash is not null
    union select result_output_hash from tool_call
      where run_id = ${runId} and result_output_hash is not null
    union select output_hash from execution join tool_call on tool_call.id = call_id
      where run_id = ${runId} and output_hash is not null
    union select hash from kept_stream join tool_call on tool_call.id = call_id
      where run_id = ${runId}
    union select hash from result_file join tool_call on tool_call.id = call_id
      where run_id = ${runId}
    union select hash from message_file join message on message.id = message_id
      where run_id = ${runId}
  `.execute(tx)
  return rows.map(({ hash }) => hash)
}

async function replaceWords(
  tx: Tx,
  runId: string,
  replacements: { readonly message: string; readonly text: string; readonly notice: string },
): Promise<ClearedAmounts> {
  const messages = await tx
    .updateTable('message')
    .set({ content_hash: replacements.message })
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()
  const results = await tx
    .updateTable('tool_call')
    .set({ result_text_hash: replacements.text, result_output_hash: null })
    .where('run_id', '=', runId)
    .where('result_type', 'is not', null)
    .executeTakeFirstOrThrow()
  await sql`
    with calls as (select id from tool_call where run_id = ${runId}), files as (
      delete from result_file using calls where call_id = calls.id
    ), sent as (
      delete from message_file using message where message.id = message_id and run_id = ${runId}
    ), streams as (
      delete from kept_stream using calls where call_id = calls.id
    ), changes as (
      delete from file_change where run_id = ${runId}
    ), live as (
      delete from live_output using calls where call_id = calls.id
    ), live_words as (
      delete from live_text where run_id = ${runId}
    ), summaries as (
      update run_window set text = ${replacements.notice} where run_id = ${runId} and text is not null
    ), run_output as (
      update run set output = null where id = ${runId}
    )
    update execution set output_hash = null, more_changes = null from calls where call_id = calls.id
  `.execute(tx)
  return { messages: Number(messages.numUpdatedRows), results: Number(results.numUpdatedRows) }
}
