import type { Db, Tx } from '#store/database.ts'
import { readErased } from '#store/content/erased-content.ts'
import { erasedText } from './erased-words.ts'
import { saltedText } from './salted-text.ts'

/**
 * People's texts by hash, from `texts` that were read already; for others a notice that they were
 * erased. One query, and none when `texts` has all of `hashes`.
 */
export async function readWords(
  db: Db | Tx,
  hashes: readonly string[],
  texts: ReadonlyMap<string, string>,
): Promise<(hash: string) => string> {
  const erased = await readErased(
    db,
    hashes.filter((hash) => !texts.has(hash)),
  )
  return (hash) => {
    const text = texts.get(hash)
    return text === undefined ? erasedText(erased.get(hash)) : saltedText(text)
  }
}
