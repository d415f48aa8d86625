import { sql } from 'kysely'
import { contentOfTask, personOfTask } from '#services/requests/facts/read-tasks.ts'
import { taskLimits, wholeTask } from '#services/requests/words/task-words.ts'
import { getRemainingRows, textOfRow } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import { shortTask, type TaskNotice } from './task-notice.ts'

/** Where the task of a request is stored, who is behind it, and when the run was started. */
export interface StoredTask {
  readonly hash: string
  readonly isInput: boolean
  readonly by: { readonly name: string } | null
  readonly at: string
}

/**
 * The stored task of a row of `request`, as a column; `null` at high risk, without a run, and when
 * it is too large.
 */
export const storedTask = sql<StoredTask | null>`
  (select json_build_object('hash', words.hash, 'isInput', words.is_input, 'at', root.created_at,
      'by', ${personOfTask('root')})
    from run root cross join lateral ${contentOfTask('root')} words
    join content on content.hash = words.hash and content.size <= ${taskLimits.storedBytes}
    where root.id = request.root_run_id and request.risk <> 'high')`

/**
 * The tasks in the words of notifications, in the same order; their texts are read in one query.
 * Requests of one run share a text, which is masked once. A text that was changed by SQL does not
 * prevent the reading of others.
 */
export async function readTaskNotices(
  db: Db | Tx,
  tasks: readonly (StoredTask | null)[],
): Promise<readonly (TaskNotice | null)[]> {
  const hashes = tasks.flatMap((task) => (task === null || task.by === null ? [] : [task.hash]))
  const contents = await getRemainingRows(db, hashes)
  const contentOf = new Map(contents.map((content) => [content.hash, content]))
  const words = new Map<string, string | null>()
  const notices: (TaskNotice | null)[] = []
  for (const task of tasks) {
    if (task === null || task.by === null) {
      notices.push(null)
      continue
    }
    const { hash, isInput, by } = task
    const key = `${hash} ${isInput}`
    if (!words.has(key)) words.set(key, wordsOf(contentOf.get(hash), isInput))
    const text = words.get(key) ?? null
    const at = new Date(task.at)
    notices.push(text === null || Number.isNaN(at.getTime()) ? null : { by: by.name, at, text })
  }
  return notices
}

/**
 * Rows that were changed by SQL must not keep a channel from its other notifications. The content
 * that they name may not match its hash, may be no JSON, or may be nested too deep to be written as
 * text.
 */
function wordsOf(
  content: Parameters<typeof textOfRow>[0] | undefined,
  isInput: boolean,
): string | null {
  if (content === undefined) return null
  try {
    return shortTask(wholeTask(textOfRow(content), isInput))
  } catch {
    return null
  }
}
