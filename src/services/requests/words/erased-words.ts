import { ContentRemoved } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import { readErased, type Erasure } from '#store/content/erased-content.ts'

/** The text in place of erased words: when they were erased and by whom. */
export function erasedText(erased: Erasure | undefined): string {
  if (erased === undefined) return '[removed]'
  return `[erased on ${erased.at.toISOString().slice(0, 10)} by ${erased.by}]`
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
