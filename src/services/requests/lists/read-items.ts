import { sql } from 'kysely'
import { getRemainingTexts } from '#store/content/content.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import type { Db, Tx } from '#store/database.ts'
import type { Caller } from '../../core/context.ts'
import { readMessageText } from '../../transcript/messages.ts'
import { largeTask, taskLimits, taskWords, type ShownIn } from '../words/task-words.ts'
import type { RequestItemRecord, TaskRecord } from '../facts/request-record.ts'
import { itemColumns } from './item-columns.ts'
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
  { words = true, shownIn = 'list' }: { words?: boolean; shownIn?: ShownIn } = {},
): Promise<RequestItemRecord[]> {
  if (ids.length === 0) return []
  const personId = caller.actor.type === 'person' ? caller.actor.id : null
  const { rows } = await sql<ItemRow>`
    select ${itemColumns(personId)}
    from request
    left join request_revision shown on shown.request_id = request.id and shown.revision = request.revision
    left join run on run.id = request.run_id
    left join tool_call on tool_call.id = request.call_id
    where ${isOneOf('request.id', ids)}
  `.execute(db)
  // A request that is erased at this moment is left out.
  const reasons = await getRemainingTexts(
    db,
    words ? rows.flatMap((row) => [...hashesOf(row)]) : [],
  )
  const items = new Map(
    rows.map((row) => {
      const reason = reasons.get(row.agent_reason_hash ?? '')
      const agentReason = reason === undefined ? null : readMessageText(reason)
      return [row.id, { ...itemOf(row, agentReason), task: taskOf(row.task, reasons, shownIn) }]
    }),
  )
  return ids.flatMap((id) => items.get(id) ?? [])
}

/** The hashes of a row's texts. */
function* hashesOf({ agent_reason_hash: reason, task }: ItemRow): Generator<string> {
  if (reason !== null) yield reason
  if (task !== null && (task.bytes ?? 0) <= taskLimits.storedBytes) yield task.hash
}

function taskOf(
  task: TaskJson | null,
  texts: ReadonlyMap<string, string>,
  shownIn: ShownIn,
): TaskRecord | null {
  if (task === null) return null
  const { hash, isInput, title, by, at, later, bytes } = task
  const storedText = texts.get(hash)
  const isErased = storedText === undefined && (bytes ?? 0) <= taskLimits.storedBytes
  if (isErased) return null
  return {
    text:
      storedText === undefined
        ? largeTask(title, bytes ?? 0)
        : taskWords(storedText, isInput, shownIn),
    by,
    at: new Date(at),
    later,
  }
}
