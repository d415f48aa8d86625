import { parseObject } from '#domain/json/parse-json.ts'
import { sql, type RawBuilder } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'

/**
 * The most opening brackets of a document: far more than an event of the service has, and far fewer
 * than Postgres can read nested.
 */
const maxOpenings = 5000

/**
 * The document of an `audit_event` in scope as `jsonb`. An event that SQL added may have any text,
 * and reading it must not fail. The result is null for text that is no `jsonb`, or that is larger
 * or deeper than an event of the service.
 */
export const eventDocument: RawBuilder<unknown> = sql`case
  when octet_length(document) > ${sql.lit(limits.auditEventBytes)}
    or length(document) - length(translate(document, '[{', '')) > ${sql.lit(maxOpenings)} then null
  when pg_input_is_valid(document, 'jsonb') then document::jsonb end`

/**
 * Text of such a document as an instant. Null unless the service could have written it, because
 * Postgres also accepts `infinity` and `tomorrow` as times.
 */
export function eventInstant(text: RawBuilder<unknown>): RawBuilder<Date | null> {
  return sql<Date | null>`case
    when ${text} !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z$' then null
    when pg_input_is_valid(${text}, 'timestamptz') then (${text})::timestamptz end`
}

/** The same outside of Postgres; null also for a document with more than one line. */
export function parseEvent(document: string): JsonObject | null {
  const isOurs =
    Buffer.byteLength(document) <= limits.auditEventBytes &&
    // A text of at most that many characters cannot have more brackets.
    (document.length <= maxOpenings || document.replaceAll(/[^[{]/g, '').length <= maxOpenings) &&
    !/[\n\r]/.test(document)
  return isOurs ? parseObject(document) : null
}
