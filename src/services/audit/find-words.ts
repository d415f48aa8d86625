import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { getRemainingRows, textOfRow } from '#store/content/content.ts'
import type { ServiceContext } from '../core/context.ts'
import { saltedText } from '../requests/words/salted-text.ts'

/** How many of the newest decisions, comments and revisions are searched, of each kind. */
const newest = 2_000

/** After this many texts other work of the process gets its turn. */
const slice = 200

/**
 * For each word, in lower case, the requests that have it in a reason or a comment, in upper or
 * lower case. It searches the newest 2,000 decisions, revisions with a reason, and comments. Texts
 * that were erased, or changed in the database, are not found.
 */
export async function requestsWithWords(
  { db, log }: Pick<ServiceContext, 'db' | 'log'>,
  words: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const hits = words.map((word) => ({ word, ids: new Set<string>() }))
  const requestsOf = await requestsOfTexts(db)
  const rows = await getRemainingRows(db, [...requestsOf.keys()])
  const unreadable: string[] = []
  for (const [index, row] of rows.entries()) {
    if (index % slice === slice - 1) await setImmediate()
    const text = lowerText(row)
    if (text === null) unreadable.push(row.hash)
    else {
      const having = hits.filter(({ word }) => text.includes(word))
      for (const { ids } of having) for (const id of requestsOf.get(row.hash) ?? []) ids.add(id)
    }
  }
  if (unreadable.length > 0) {
    const fields = { count: unreadable.length, hash: unreadable[0] }
    log.warn(fields, 'Texts that were changed in the database are not searched')
  }
  return hits.map(({ ids }) => [...ids])
}

/** The hashes of the texts, each with its requests. */
async function requestsOfTexts(
  db: ServiceContext['db'],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ hash: string; requests: readonly string[] }>`
    select hash, array_agg(request_id) as requests from (
      (select request_id, reason_hash as hash from decision where reason_hash is not null
        order by id desc limit ${newest})
      union (select request_id, text_hash from comment order by id desc limit ${newest})
      union (select request_id, reason_hash from request_revision where reason_hash is not null
        order by request_id desc, revision desc limit ${newest})
    ) as written group by hash
  `.execute(db)
  return new Map(rows.map(({ hash, requests }) => [hash, requests]))
}

/** `null`: the row is not what was written. */
function lowerText(row: Parameters<typeof textOfRow>[0]): string | null {
  try {
    return saltedText(textOfRow(row)).toLowerCase()
  } catch {
    return null
  }
}
