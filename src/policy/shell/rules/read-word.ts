import type { Effort } from '../spelling/effort.ts'
import { isUnclear, patternOf, programName, type Spelling } from '../spelling/spelling.ts'

/** One field of a word, as every pattern looks at it. */
export interface ReadField {
  readonly text: string
  /** as a program's name */
  readonly name: string
  readonly isOption: boolean
  /** what it could be besides, when it holds a file pattern or characters that are not seen; as a program's name too */
  readonly unclear: { readonly text: readonly string[]; readonly name: readonly string[] } | null
}

/** A spelling, read once for all patterns. */
export interface ReadWord {
  readonly ways: readonly (readonly ReadField[])[]
  readonly open: boolean
  /** characters of fields that have to be compared one by one */
  readonly unclearLength: number
}

const read = new WeakMap<Spelling, ReadWord>()

/** Reads a spelling. Kept with the spelling itself. */
export function readWord(spelling: Spelling): ReadWord {
  let word = read.get(spelling)
  if (word === undefined) {
    const ways = spelling.ways.map((fields) => fields.map(readField))
    const unclear = ways.flat().filter((field) => field.unclear !== null)
    const unclearLength = unclear.reduce((sum, { text }) => sum + text.length, 0)
    word = { ways, open: spelling.open, unclearLength }
    read.set(spelling, word)
  }
  return word
}

function readField(text: string): ReadField {
  const name = programName(text)
  const unclear = isUnclear(text) ? { text: patternOf(text), name: patternOf(name) } : null
  return { text, name, isOption: text.startsWith('-'), unclear }
}

/** What a list of words holds, whatever stands where. */
export interface HeldWords {
  readonly texts: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly options: readonly string[]
  /** some word might be what it does not say */
  readonly isUnclear: boolean
  readonly isOpen: boolean
}

const held = new WeakMap<readonly Spelling[], HeldWords>()

/** Collects what words hold, so that most patterns are seen not to be in there without a walk. Kept with the list. */
export function heldWords(words: readonly Spelling[], effort?: Effort): HeldWords {
  let known = held.get(words)
  if (known === undefined) {
    effort?.spend(words.length)
    const fields = words.flatMap((word) => readWord(word).ways.flat())
    known = {
      texts: new Set(fields.map((field) => field.text)),
      names: new Set(fields.map((field) => field.name)),
      options: [...new Set(fields.flatMap((field) => (field.isOption ? [field.text] : [])))],
      isUnclear: fields.some((field) => field.unclear !== null),
      isOpen: words.some((word) => word.open),
    }
    held.set(words, known)
  }
  return known
}
