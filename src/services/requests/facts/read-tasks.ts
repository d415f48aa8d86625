import { sql } from 'kysely'
import type { Actor } from '#domain/actor.ts'
import { textOfRow, type PackedContent } from '#store/content/content.ts'
import { readErased } from '#store/content/erased-content.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import type { Db, Tx } from '#store/database.ts'
import { erasedText, isTaskErased } from '../words/erased-words.ts'
import { largeTask, taskLimits, taskWords, type ShownIn } from '../words/task-words.ts'
import type { PersonRef, TaskRecord } from './request-record.ts'

/**
 * The tasks of root runs by id: the first message of each, as text for people, and when the run was
 * started. An erased one says so. In a list, long ones are cut.
 */
export async function readTasks(
  db: Db | Tx,
  rootRunIds: readonly string[],
  shownIn: ShownIn,
): Promise<ReadonlyMap<string, TaskRecord>> {
  if (rootRunIds.length === 0) return new Map()
  const isSmall = shownIn === 'detail' ? sql`` : sql` and content.size <= ${taskLimits.storedBytes}`
  const { rows } = await sql<{
    run_id: string
    hash: string
    encoding: PackedContent['encoding']
    /** `null`: removed, too large for a list, or the same as those of another row */
    bytes: Buffer | null
    title: string
    size: number
    is_input: boolean
    author: Actor | null
    at: Date
    later: number
  }>`
    select run.id as run_id, run.title, asked.author, run.created_at as at,
      words.is_input, content.hash, content.encoding,
      case when content.encoding <> 'removed'${isSmall}
        and row_number() over (partition by content.hash) = 1 then content.bytes end as bytes,
      case when content.encoding = 'removed' then 0 else content.size end as size,
      ${laterMessages('run')} as later
    from run
    join lateral (
      select author from message
      where run_id = run.id and role = 'user' order by sequence limit 1
    ) asked on true
    cross join lateral ${contentOfTask('run')} words
    join content on content.hash = words.hash
    where ${isOneOf('run.id', [...new Set(rootRunIds)])}
  `.execute(db)
  const isRead = ({ size }: { readonly size: number }): boolean =>
    shownIn === 'detail' || size <= taskLimits.storedBytes
  const texts = new Map(
    rows.flatMap(({ hash, encoding, bytes }) =>
      bytes === null ? [] : [[hash, textOfRow({ hash, encoding, bytes })] as const],
    ),
  )
  const erased = await readErased(
    db,
    rows.filter((row) => isRead(row) && !texts.has(row.hash)).map(({ hash }) => hash),
  )
  const notices = new Set<string>()
  for (const { run_id: id, title, is_input: isInput } of rows) {
    if (isInput && (await isTaskErased(db, { id, title }))) notices.add(id)
  }
  return new Map(
    rows.map((row) => {
      const { author, at, later } = row
      const storedText = texts.get(row.hash)
      const text = notices.has(row.run_id)
        ? row.title
        : storedText !== undefined
          ? taskWords(storedText, row.is_input, shownIn)
          : isRead(row)
            ? erasedText(erased.get(row.hash))
            : largeTask(row.title, row.size)
      return [row.run_id, { text, by: byOf(author), at, later }]
    }),
  )
}

/**
 * The person behind the task of a run as `{id, name}`: its starter, or the key's owner. Nobody is
 * behind the message of a trigger, not even in a fork that repeats it.
 */
export function personOfTask(run: string) {
  return sql<PersonRef | null>`(select json_build_object('id', p.id, 'name', p.name) from person p
    where p.id = ${sql.ref(`${run}.started_by`)}
      and starts_with(coalesce(${sql.ref(`${run}.started_from`)}, ''), 'trigger:') is false)`
}

/** Where the task of a run is stored, as `hash` and `is_input`: a subquery for a lateral join. */
export function contentOfTask(run: string) {
  return sql<{ hash: string; is_input: boolean }>`(
    select coalesce(${sql.ref(`${run}.forked_after_turn`)}, 0) = 0 as is_input,
      case when coalesce(${sql.ref(`${run}.forked_after_turn`)}, 0) = 0 then ${sql.ref(`${run}.input_digest`)}
        else (select m.content_hash from message m where m.run_id = ${sql.ref(`${run}.id`)} and m.role = 'user'
          order by m.sequence limit 1) end as hash)`
}

/** The number of messages to a run after its task, without those of manual calls. */
export function laterMessages(run: string) {
  return sql`(select count(*)::int from message m where m.run_id = ${sql.ref(`${run}.id`)} and m.role = 'user'
    and m.sequence > (select min(sequence) from message where run_id = m.run_id and role = 'user')
    and not exists (select from manual_call where manual_call.message_id = m.id))`
}

function byOf(author: Actor | null): TaskRecord['by'] {
  if (author?.type !== 'person' && author?.type !== 'machine') return null
  return { id: author.id, name: author.name }
}
