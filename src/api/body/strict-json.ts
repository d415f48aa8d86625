import { parseJson } from '#domain/json/parse-json.ts'
import { whyAmbiguous } from '#domain/json/ambiguous-json.ts'
import type { Json } from '#domain/json/json.ts'
import { decodeUtf8 } from '#domain/text/encoding/decode-utf8.ts'
import { limits } from '#domain/limits.ts'
import { countValues } from './count-values.ts'

/** Why a body was refused, as a sentence for the caller. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem'
}

/** Deeper than any legitimate body, and far below the depth that exhausts the stack. */
const deepest = 100

/**
 * Parses JSON that every parser reads alike: UTF-8, no key twice in one object, no `__proto__`, no
 * half surrogate pair, no number that is rounded, at most 100 levels and 50,000 keys and values
 * (security.md 22, 34, 37). Throws `JsonProblem`.
 */
export function parseStrictJson(bytes: Uint8Array): Json {
  const { values, depth } = countValues(bytes, limits.bodyValues)
  if (values > limits.bodyValues) {
    throw new JsonProblem(`The body has more than ${limits.bodyValues} keys and values`)
  }
  if (depth > deepest) throw new JsonProblem(`The body is over ${deepest} levels deep`)
  // A byte order mark is kept, so that parsing refuses it as other parsers do.
  const text = decodeUtf8(bytes)
  if (text === null) throw new JsonProblem('The body is not valid UTF-8')
  const value = parseJson(text)
  if (value === undefined) throw new JsonProblem('The body is not valid JSON')
  const why = whyAmbiguous(text)
  if (why !== null) throw new JsonProblem(why)
  return value
}
