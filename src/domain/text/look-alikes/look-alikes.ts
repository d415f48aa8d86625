import { asciiLook } from './ascii-look.ts'

/**
 * A character that looks like another one. `start` in UTF-16 units; `look`: the ASCII text it looks
 * like, if there is one.
 */
export interface LookAlike {
  readonly start: number
  readonly character: string
  readonly look: string | null
}

const ascii = /^[\0-\x7f]*$/
const letter = /^\p{L}$/u
const asciiLetter = /[A-Za-z]/
/** Scripts that are commonly mixed with Latin words and look different. */
const apart = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]$/u
/** Full-width and mathematical forms of ASCII. */
const disguised = /^[\uFF01-\uFF5E\u{1D400}-\u{1D7FF}]$/u
const scripts = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Cherokee',
  'Coptic',
  'Hebrew',
  'Arabic',
  'Lisu',
  'Georgian',
  'Deseret',
  'Osage',
  'Ethiopic',
  'Thai',
  'Lao',
  'Tifinagh',
].map((name) => new RegExp(`^\\p{Script=${name}}$`, 'u'))

/**
 * The characters of a text that look like others (security.md 17; UTS 39), in order:
 * - symbols, numbers and disguised letters that look like ASCII;
 * - letters of another script in a word with Latin letters, or in a word that could be read as
 *   Latin;
 * - everything outside of ASCII in the host of an address;
 * - combining marks that are stacked or follow a non-letter.
 *
 * Words of a language are left alone. Pure, in linear time.
 */
export function lookAlikes(text: string): readonly LookAlike[] {
  if (ascii.test(text)) return []
  const byStart = new Map<number, LookAlike>()
  let from = 0
  for (const line of text.split('\n')) {
    if (!ascii.test(line)) {
      for (const one of inLine(line))
        byStart.set(from + one.start, { ...one, start: from + one.start })
    }
    from += line.length + 1
  }
  return [...byStart.values()].toSorted((one, other) => one.start - other.start)
}

function* inLine(line: string): Generator<LookAlike> {
  yield* symbolsOf(line)
  yield* marksOf(line)
  yield* hostsOf(line)
  yield* wordsOf(line)
}

function lookOf(character: string): string | null {
  return asciiLook(character) ?? (disguised.test(character) ? character.normalize('NFKC') : null)
}

/** Punctuation, digits, number forms, and disguised letters. */
function* symbolsOf(line: string): Generator<LookAlike> {
  let start = 0
  for (const character of line) {
    const at = start
    start += character.length
    if (character.length === 1 && character <= '\x7f') continue
    const look = lookOf(character)
    if (look === null || /^\p{M}$/u.test(character)) continue
    if (letter.test(character) && !disguised.test(character)) continue
    if (isTypography(line, at, character)) continue
    yield { start: at, character, look }
  }
}

/**
 * Quotes, dashes and the like in their usual places, but not where they could be read as an option
 * or a separator.
 */
function isTypography(line: string, at: number, character: string): boolean {
  const before = line[at - 1] ?? ' '
  const after = line[at + character.length] ?? ' '
  switch (character) {
    case '“':
    case '”':
    case '„':
    case '«':
    case '»':
    case '‹':
    case '›':
    case '…':
    case '•':
      return true
    case '’':
    case '‘':
      return letter.test(before) || letter.test(after)
    case '–':
    case '—':
      return !(/[\s="'([]/.test(before) && /[\p{L}\p{Pd}]/u.test(after))
    case '×':
      return !(letter.test(before) || letter.test(after))
    case '−':
      // The counts of lines in titles that the service writes: (+4 −1).
      return /\((?:\+\d{1,9} )?$/.test(line.slice(Math.max(0, at - 12), at)) && /\d/.test(after)
    default:
      return false
  }
}

/** More combining marks than this on one letter hide the text above or below. */
const maxMarks = { latin: 2, other: 4 }

function* marksOf(line: string): Generator<LookAlike> {
  let base = ''
  let marks = 0
  let start = 0
  for (const character of line) {
    if (/^\p{M}$/u.test(character) && !/^\p{Default_Ignorable_Code_Point}$/u.test(character)) {
      marks += 1
      const maxOnBase = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]$/u.test(base)
        ? maxMarks.latin
        : maxMarks.other
      if (!letter.test(base) || marks > maxOnBase || /^\p{Me}$/u.test(character)) {
        yield { start, character, look: null }
      }
    } else {
      base = character
      marks = 0
    }
    start += character.length
  }
}

/** In hosts, every letter outside of ASCII is reported, whatever its language. */
function* hostsOf(line: string): Generator<LookAlike> {
  for (const match of line.matchAll(/(?::\/\/|@)([^\s/?#"'<>()]{1,300})/gu)) {
    const host = match[1] ?? ''
    let start = match.index + match[0].length - host.length
    for (const character of host) {
      if (character > '\x7f' && !isTypography(line, start, character)) {
        yield { start, character, look: lookOf(character) }
      }
      start += character.length
    }
  }
}

interface Word {
  readonly text: string
  readonly start: number
  /** the letters outside of ASCII that could be mistaken, with their look */
  readonly strangers: readonly LookAlike[]
  readonly hasAscii: boolean
  /** every letter of it looks like an ASCII one */
  readonly isWhole: boolean
}

function* wordsOf(line: string): Generator<LookAlike> {
  const words = [...line.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)].map((match) =>
    readWord(match[0], match.index),
  )
  // A letter that only one script has shows that the line is text in a language.
  const plain = new Set(
    words
      .flatMap(({ text }) => Array.from(text))
      .filter((one) => one > '\x7f' && letter.test(one) && lookOf(one) === null)
      .map(scriptOf),
  )
  for (const word of words) {
    for (const stranger of word.strangers) {
      const script = scriptOf(stranger.character)
      const isLatin = script === 0
      if (isLatin ? !plain.has(0) : word.hasAscii) yield stranger
      else if (!isLatin && word.isWhole && !plain.has(script) && word.text.length > 1)
        yield stranger
    }
  }
}

function readWord(text: string, start: number): Word {
  const strangers: LookAlike[] = []
  let at = start
  let isWhole = true
  for (const character of text) {
    if (character > '\x7f' && letter.test(character) && !disguised.test(character)) {
      const look = lookOf(character)
      const script = scriptOf(character)
      if (look === null) isWhole = false
      // Letters of the scripts that resemble Latin ones are reported even without an entry in the
      // table.
      const isReported = look !== null || (script > 0 && script < 6)
      if (isReported && !apart.test(character)) strangers.push({ start: at, character, look })
    }
    at += character.length
  }
  return { text, start, strangers, hasAscii: asciiLetter.test(text), isWhole }
}

/** Index in `scripts`, -1 for any other. */
function scriptOf(character: string): number {
  return scripts.findIndex((script) => script.test(character))
}
