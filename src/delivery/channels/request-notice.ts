import { sql } from 'kysely'
import { cueIds, cueNotices, displayedCues, type Cue, type CueId } from '#domain/policy/cues.ts'
import { contentOfTask, personOfTask } from '#services/requests/facts/read-tasks.ts'
import { taskLimits, wholeTask } from '#services/requests/words/task-words.ts'
import { ContentChanged, getRemainingTexts } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import { shortTask, type TaskNotice } from './task-notice.ts'

/**
 * The facts about a request in a notification besides its effect, without any words of the call.
 */
export interface RequestNotice {
  /** who started the run; `null`: nobody, or a program asked */
  readonly starter: string | null
  /**
   * what a person asked the run to do; `null` at high risk, for the data of a trigger, when it was
   * erased, and when it is too large or was changed by SQL
   */
  readonly task: TaskNotice | null
  /** its cues, each kind once */
  readonly cues: readonly CueId[]
}

interface NoticeRow extends Omit<RequestNotice, 'task' | 'cues'> {
  readonly task: StoredTask | null
  readonly cues: readonly Pick<Cue, 'id' | 'line' | 'onlyReaches'>[]
}

interface StoredTask {
  readonly hash: string
  readonly isInput: boolean
  readonly by: { readonly name: string } | null
  readonly at: string
}

/** What a notification says about a request, in one query, and another for the text of its task. */
export async function readNotice(db: Db | Tx, requestId: string): Promise<RequestNotice> {
  const { rows } = await sql<NoticeRow>`
    select (select person.name from run join person on person.id = run.started_by
        where run.id = request.root_run_id) as starter,
      (select json_build_object('hash', words.hash, 'isInput', words.is_input, 'at', root.created_at,
          'by', ${personOfTask('root')})
        from run root cross join lateral ${contentOfTask('root')} words
        join content on content.hash = words.hash and content.size <= ${taskLimits.storedBytes}
        where root.id = request.root_run_id and request.risk <> 'high') as task,
      coalesce((select json_agg(json_strip_nulls(json_build_object('id', cue->>'id',
          'line', cue->'line', 'onlyReaches', cue->'onlyReaches'))) from request_revision as revision,
        jsonb_array_elements(revision.cues) as cue
        where revision.request_id = request.id and revision.revision = request.revision), '[]') as cues
    from request where request.id = ${requestId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) return { starter: null, task: null, cues: [] }
  const { starter, task, cues } = row
  const displayedIds = new Set(displayedCues(cues).map(({ id }) => id))
  return {
    starter,
    task: task === null ? null : await readTask(db, task),
    cues: cueIds.filter((id) => displayedIds.has(id)),
  }
}

async function readTask(db: Db | Tx, task: StoredTask): Promise<TaskNotice | null> {
  const { hash, isInput, by, at } = task
  if (by === null) return null
  const storedText = await unchangedText(db, hash)
  const text = storedText === undefined ? null : wordsOf(storedText, isInput)
  const instant = new Date(at)
  if (text === null || Number.isNaN(instant.getTime())) return null
  return { by: by.name, at: instant, text }
}

async function unchangedText(db: Db | Tx, hash: string): Promise<string | undefined> {
  try {
    return (await getRemainingTexts(db, [hash])).get(hash)
  } catch (error) {
    if (error instanceof ContentChanged) return undefined
    throw error
  }
}

/**
 * Rows that were changed by SQL must not keep a channel from its other notifications: they may name
 * a content that is no JSON, or one that is nested too deep to be written as text.
 */
function wordsOf(storedText: string, isInput: boolean): string | null {
  try {
    return shortTask(wholeTask(storedText, isInput))
  } catch {
    return null
  }
}

/** The cues as one line of fixed words; `null` for none. */
export function cuesLine({ cues }: Pick<RequestNotice, 'cues'>): string | null {
  return cues.length === 0 ? null : `Attention: ${cues.map((id) => cueNotices[id]).join('; ')}`
}
