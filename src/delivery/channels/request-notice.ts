import { sql } from 'kysely'
import {
  cueIds,
  cueNotices,
  displayedCues,
  readStoredCue,
  type CueId,
  type StoredCue,
} from '#domain/policy/cues.ts'
import type { Db, Tx } from '#store/database.ts'
import { readTaskNotices, storedTask, type StoredTask } from './read-task-notices.ts'
import type { TaskNotice } from './task-notice.ts'

/** A request's facts in a notification besides its effect, without words of the call. */
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
  readonly cues: readonly Omit<StoredCue, 'file'>[]
}

/** What a notification says about a request, in one query, and another for the text of its task. */
export async function readNotice(db: Db | Tx, requestId: string): Promise<RequestNotice> {
  const { rows } = await sql<NoticeRow>`
    select (select person.name from run join person on person.id = run.started_by
        where run.id = request.root_run_id) as starter,
      ${storedTask} as task,
      coalesce((select json_agg(json_strip_nulls(json_build_object('id', cue->>'id', 'text', cue->>'text',
          'line', cue->'line', 'onlyReaches', cue->'onlyReaches'))) from request_revision as revision,
        jsonb_array_elements(revision.cues) as cue
        where revision.request_id = request.id and revision.revision = request.revision), '[]') as cues
    from request where request.id = ${requestId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) return { starter: null, task: null, cues: [] }
  const { starter, task, cues } = row
  const [taskNotice = null] = await readTaskNotices(db, [task])
  const displayedIds = new Set(displayedCues(cues.map(readStoredCue)).map(({ id }) => id))
  return {
    starter,
    task: taskNotice,
    cues: cueIds.filter((id) => displayedIds.has(id)),
  }
}

/** The cues as one line of fixed words; `null` for none. */
export function cuesLine({ cues }: Pick<RequestNotice, 'cues'>): string | null {
  return cues.length === 0 ? null : `Attention: ${cues.map((id) => cueNotices[id]).join('; ')}`
}
