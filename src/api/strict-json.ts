import type { Json } from '../domain/json.ts'

/** Why a body was refused; the message is a sentence for the caller. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem'
}

/** Deeper than any honest body, and far from what would exhaust the stack of those who walk it. */
const deepest = 100

/**
 * Parses JSON that means one thing to every reader: UTF-8, no key twice in one object, no `__proto__`, no half
 * surrogate pair, no number that is read as an infinity, at most 100 levels (security.md 22). Throws `JsonProblem`.
 */
export function parseStrictJson(bytes: Uint8Array): Json {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new JsonProblem('The body is not valid UTF-8')
  }
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    throw new JsonProblem('The body is not valid JSON')
  }
  refuseAmbiguity(text)
  return value
}

/** Walks text that is known to be valid JSON, so that every quote and bracket is where the grammar has it. */
function refuseAmbiguity(text: string): void {
  /** one entry a level: the keys seen in an object, null in an array */
  const levels: (Set<string> | null)[] = []
  let isKeyNext = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{' || character === '[') {
      levels.push(character === '{' ? new Set() : null)
      if (levels.length > deepest) throw new JsonProblem(`The body is over ${deepest} levels deep`)
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

/** `1e400` is valid JSON and is read as an infinity, which has no canonical form. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (isDigit(text[end]) || '.eE+-'.includes(text[end] ?? ' ')) end += 1
  if (!Number.isFinite(Number(text.slice(start, end)))) {
    throw new JsonProblem('A number is too large for a double')
  }
  return end
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function readString(literal: string): string {
  const value = literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1)
  if (!value.isWellFormed()) throw new JsonProblem('A text has half a surrogate pair')
  return value
}

function addKey(keys: Set<string>, key: string): void {
  if (keys.has(key)) {
    throw new JsonProblem(`The key ${JSON.stringify(key.slice(0, 100))} is there twice`)
  }
  if (key === '__proto__') throw new JsonProblem('The key "__proto__" is not allowed')
  keys.add(key)
}
