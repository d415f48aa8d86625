import { sql } from 'kysely'
import { getRemainingTexts } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import { saltedText } from '../requests/words/salted-text.ts'

/** How many of the newest decisions, comments and revisions are searched, of each kind. */
const newest = 2_000

interface WrittenText {
  readonly requestId: string
  readonly text: string
}

/**
 * For each word, the requests of which a reason or a comment has it, in any case: among the newest
 * 2,000 decisions, comments and revisions. Erased texts are found no more.
 */
export async function requestsWithWords(
  db: Db,
  words: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const texts = await writtenTexts(db)
  return words.map((word) => {
    const part = word.toLowerCase()
    const having = texts.filter(({ text }) => text.toLowerCase().includes(part))
    return [...new Set(having.map(({ requestId }) => requestId))]
  })
}

/** In one query for the hashes, and one for their texts. */
async function writtenTexts(db: Db): Promise<readonly WrittenText[]> {
  const { rows } = await sql<{ requestId: string; hash: string }>`
    select request_id as "requestId", hash from (
      (select request_id, reason_hash as hash from decision order by id desc limit ${newest})
      union (select request_id, text_hash from comment order by id desc limit ${newest})
      union (select request_id, reason_hash from request_revision
        order by request_id desc, revision desc limit ${newest})
    ) as written where hash is not null
  `.execute(db)
  const texts = await getRemainingTexts(
    db,
    rows.map(({ hash }) => hash),
  )
  return rows.flatMap(({ requestId, hash }) => {
    const document = texts.get(hash)
    return document === undefined ? [] : [{ requestId, text: saltedText(document) }]
  })
}
