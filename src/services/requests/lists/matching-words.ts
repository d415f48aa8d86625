import { sql, type RawBuilder } from 'kysely'
import { isShortNumber } from '#domain/requests/reference-forms.ts'
import type { ServiceContext } from '../../core/context.ts'

/** The searched text, as in the trigram index. */
const searched = sql`(request.title || e'\n' || request.tool)`

/** Whether a word occurs in a request's title or its tool's name. */
export function occursIn(word: string): RawBuilder<boolean> {
  return sql<boolean>`${searched} ilike ${likePattern(word)}`
}

/**
 * Requests with the words in the title or the tool's name, or with the number (`12`, `#12`); or
 * with the words in the name of the worker, or of the program's key. There are few such names, and
 * only when one matches are its requests searched.
 */
export async function matchWords(ctx: ServiceContext, words: string): Promise<RawBuilder<boolean>> {
  const pattern = likePattern(words)
  const { rows } = await sql<{ workers: string[]; keys: string[]; asked: string[] }>`
    select array(select distinct name from worker_version where name ilike ${pattern}) as workers,
      array(select id from api_key where name ilike ${pattern}) as keys,
      array(select request_id from external_request where external_id = ${words}) as asked
  `.execute(ctx.db)
  const { workers = [], keys = [], asked: requestIds = [] } = rows[0] ?? {}
  const conditions = [occursIn(words)]
  const number = words.replace(/^#/, '')
  if (isShortNumber(number)) conditions.push(sql<boolean>`request.number = ${number}`)
  if (requestIds.length > 0) conditions.push(sql<boolean>`request.id = any(${requestIds}::uuid[])`)
  if (workers.length > 0) {
    conditions.push(sql<boolean>`
      (select worker from run where run.id = request.run_id) = any(${workers}::text[])`)
  }
  if (keys.length > 0) {
    conditions.push(sql<boolean>`(
      select api_key_id from external_request e where e.request_id = request.id) = any(${keys}::text[])`)
  }
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

/** A `like` pattern that finds the words anywhere, with special characters escaped. */
export function likePattern(words: string): string {
  return `%${words.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`
}
