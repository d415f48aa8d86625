import { parseJson } from '#domain/json/parse-json.ts'
import { whyAmbiguous } from '#domain/json/ambiguous-json.ts'
import type { Json } from '#domain/json/json.ts'
import { decodeUtf8 } from '#domain/text/encoding/decode-utf8.ts'
import { limits } from '#domain/limits.ts'

const quote = 0x22
const backslash = 0x5c

/**
 * The number of keys and values of JSON, including brackets, and its depth, without parsing: linear
 * in its bytes. Stops counting beyond `maxValues`. Other text gives an arbitrary result.
 */
function countValues(
  bytes: Uint8Array,
  maxValues: number,
): { readonly values: number; readonly depth: number } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let values = 0
  let depth = 0
  let deepest = 0
  let inWord = false
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const byte = text[at] ?? 0
    const isWord = isOfWord(byte)
    if (isWord && !inWord) values += 1
    inWord = isWord
    if (byte === quote) {
      values += 1
      at = endOfText(text, at)
    } else if (byte === 0x7b || byte === 0x5b) {
      values += 1
      depth += 1
      deepest = Math.max(deepest, depth)
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1
    }
  }
  return { values, depth: deepest }
}

/** Whether a byte belongs to a number, `true`, `false` or `null`. */
function isOfWord(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  )
}

/** The index of the closing quote; the end of the bytes if there is none. */
function endOfText(text: Buffer, start: number): number {
  let at = start + 1
  for (;;) {
    const end = text.indexOf(quote, at)
    if (end === -1) return text.length
    let slashes = 0
    while (text[end - 1 - slashes] === backslash && end - 1 - slashes > start) slashes += 1
    if (slashes % 2 === 0) return end
    at = end + 1
  }
}

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
