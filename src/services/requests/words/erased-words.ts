import type { Selectable } from 'kysely'
import { hashBytes } from '#domain/json/digest.ts'
import { ContentRemoved } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import { readErased, type Erasure } from '#store/content/erased-content.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { writeMessageText } from '../../transcript/messages.ts'

/** The text in place of erased words: when they were erased and by whom. */
export function erasedText(erased: Erasure | undefined): string {
  if (erased === undefined) return '[removed]'
  return `[erased on ${erased.at.toISOString().slice(0, 10)} by ${erased.by}]`
}

/**
 * Whether the task of a run was erased. Its bytes may still be there, because others need them. The
 * title and the first message are then the same notice. The model reads that message: somebody who
 * gives a task this form hides nothing.
 */
export async function isTaskErased(
  db: Db | Tx,
  run: Pick<Selectable<RunTable>, 'id' | 'title'>,
): Promise<boolean> {
  if (!/^\[erased on \d{4}-\d\d-\d\d by .*\]$/.test(run.title)) return false
  const first = await db
    .selectFrom('message')
    .select('content_hash')
    .where('run_id', '=', run.id)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return first?.content_hash === hashBytes(writeMessageText(run.title))
}

/** Runs a read of one content; returns the erasure notice, as `written`, if it was erased. */
export async function unlessErased(
  db: Db | Tx,
  hash: string,
  read: () => Promise<string>,
  textOf: (text: string) => string,
): Promise<string> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ContentRemoved)) throw error
    return textOf(erasedText((await readErased(db, [hash])).get(hash)))
  }
}
