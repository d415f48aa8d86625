import { textIn } from '../json/value-in.ts'
import { isJsonObject } from '../json/is-object.ts'
import type { Json } from '../json/json.ts'
import { oneLine } from './one-line.ts'

/** Names of inputs that identify a call, most specific first. */
const subjectNames = ['command', 'path', 'from', 'question', 'worker', 'name', 'pattern'] as const

/** Characters of a text of several lines that are shown. */
const longest = 160

/**
 * The subject of a call from its input: its path, its command, its question. One line that
 * distinguishes it from other calls; the page shows the whole input elsewhere. The lines of a text
 * have `⏎` between them: the first of a script is often `set -e`. `null` when the input has none of
 * these. Pure.
 */
export function callSubject(input: Json): string | null {
  if (!isJsonObject(input)) return null
  const word = (name: string): string | null => {
    const text = textIn(input, name) ?? ''
    return text.trim() === '' ? null : inOneLine(text)
  }
  const file = word('file')
  if (file !== null) return [file, ...wordsOf(input['args'])].join(' ')
  const name = subjectNames.find((key) => word(key) !== null)
  const subject = name === undefined ? null : word(name)
  const to = name === 'from' ? word('to') : null
  return to === null ? subject : `${subject} → ${to}`
}

function wordsOf(args: Json | undefined): string[] {
  return Array.isArray(args) ? args.filter((arg) => typeof arg === 'string').map(inOneLine) : []
}

function inOneLine(text: string): string {
  const lines = text.slice(0, longest * 4).split('\n')
  const filled = lines.map((line) => line.trim()).filter((line) => line !== '')
  return filled.length <= 1 ? text.trim() : oneLine(filled.join(' ⏎ '), longest)
}
