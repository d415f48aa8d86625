import type { Json } from './json.ts'
import { whyUnclear } from './number-literal.ts'
import { parseJson } from './parse-json.ts'

class Ambiguity extends Error {}

/**
 * The value of a text as JSON; or why it has none that every parser reads, as a sentence about
 * `name`.
 */
export function readJson(
  name: string,
  text: string,
): { readonly value: Json } | { readonly problem: string } {
  const value = parseJson(text)
  if (value === undefined) return { problem: `${name} is not JSON` }
  const why = whyAmbiguous(text)
  return why === null ? { value } : { problem: `${name}: ${why}` }
}

/**
 * Why parsers may read valid JSON as different values, as a sentence, or `null`: a key twice in one
 * object, `__proto__`, half a surrogate pair, a number that is rounded (security.md 22, 34).
 * Linear. The text must be one that `JSON.parse` accepts; for others it may throw or loop.
 */
export function whyAmbiguous(text: string): string | null {
  try {
    refuseAmbiguity(text)
    return null
  } catch (error) {
    if (error instanceof Ambiguity) return error.message
    throw error
  }
}

/** The text is valid JSON, so that quotes and brackets match. */
function refuseAmbiguity(text: string): void {
  /** one entry a level: the keys seen in an object, null in an array */
  const levels: (Set<string> | null)[] = []
  let isKeyNext = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{' || character === '[') {
      levels.push(character === '{' ? new Set() : null)
      isKeyNext = character === '{'
    } else if (character === '}' || character === ']') {
      levels.pop()
      isKeyNext = false
    } else if (character === ',') {
      isKeyNext = levels.at(-1) instanceof Set
    } else if (character === '"') {
      const end = endOfString(text, at)
      const literal = readString(text.slice(at, end + 1))
      const keys = levels.at(-1)
      if (isKeyNext && keys instanceof Set) addKey(keys, literal)
      isKeyNext = false
      at = end
    } else if (character === '-' || isDigit(character)) {
      at = endOfNumber(text, at) - 1
    }
  }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

/** `1e400` is valid JSON and becomes an infinity; some parsers round other numbers. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (isDigit(text[end]) || '.eE+-'.includes(text[end] ?? ' ')) end += 1
  const literal = text.slice(start, end)
  const why = whyUnclear(literal)
  if (why !== null) throw new Ambiguity(`The number ${literal.slice(0, 40)} ${why}`)
  return end
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function readString(literal: string): string {
  const value = literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1)
  // Not `isWellFormed`: the hook runs on Node 18.
  if (/\p{Surrogate}/u.test(value)) throw new Ambiguity('A text has half a surrogate pair')
  return value
}

function addKey(keys: Set<string>, key: string): void {
  if (keys.has(key)) {
    throw new Ambiguity(`The key ${JSON.stringify(key.slice(0, 100))} is there twice`)
  }
  if (key === '__proto__') throw new Ambiguity('The key "__proto__" is not allowed')
  keys.add(key)
}
