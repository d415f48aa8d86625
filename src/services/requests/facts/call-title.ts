import { sql, type RawBuilder } from 'kysely'
import { callSubject } from '#domain/text/call-subject.ts'
import { oneLine } from '#domain/text/one-line.ts'
import type { Json } from '#domain/json/json.ts'

/** In bytes. A larger input is not read for a title. */
const largestInput = 64 * 1024
/** In characters. */
const longestTitle = 200

/**
 * The hash of a call's input if a title can be made from it, otherwise null; a call with a request
 * has the request's title. `call` is the alias of `tool_call`.
 */
export function titleInputHash(call: string): RawBuilder<string | null> {
  return sql<string | null>`(select input.hash from content input
    where input.hash = ${sql.ref(`${call}.input_hash`)} and ${sql.ref(`${call}.request_id`)} is null
      and input.size <= ${largestInput})`
}

/**
 * The title of a call without a request: its tool and its main argument, in one line of at most 200
 * characters; only the tool when the input is too large or was erased. Secrets are not masked here.
 * Pure.
 */
export function titleWithoutRequest(tool: string, input: string | undefined): string {
  const subject = input === undefined ? null : callSubject(JSON.parse(input) as Json)
  return subject === null ? tool : oneLine(`${tool} ${subject}`, longestTitle)
}
