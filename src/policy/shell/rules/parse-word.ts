import { programNames } from '../programs/program-names.ts'
import type { Budget } from '../spelling/budget.ts'
import { isUnclear, patternOf, programName, type Spelling } from '../spelling/spelling.ts'

/** One field of a word, as every pattern looks at it. */
export interface ParsedField {
  readonly text: string
  /** as a program's name, and the names that it stands for */
  readonly name: string
  readonly names: readonly string[]
  readonly isOption: boolean
  /**
   * matches all that it could be, when it holds a file pattern or invisible characters; `name`: as
   * a program's name
   */
  readonly alternatePattern: {
    readonly text: readonly string[]
    readonly name: readonly string[]
  } | null
}

/** A spelling, read once for all patterns. */
export interface ParsedWord {
  readonly alternatives: readonly (readonly ParsedField[])[]
  readonly isOpen: boolean
  /** characters of fields that have to be compared one by one */
  readonly unclearLength: number
}

const parsedWords = new WeakMap<Spelling, ParsedWord>()

/** Reads a spelling. Cached by the spelling. */
export function parseWord(spelling: Spelling): ParsedWord {
  let word = parsedWords.get(spelling)
  if (word === undefined) {
    const alternatives = spelling.alternatives.map((fields) => fields.map(parseField))
    const unclearFields = alternatives.flat().filter((field) => field.alternatePattern !== null)
    const unclearLength = unclearFields.reduce((sum, { text }) => sum + text.length, 0)
    word = { alternatives, isOpen: spelling.isOpen, unclearLength }
    parsedWords.set(spelling, word)
  }
  return word
}

function parseField(text: string): ParsedField {
  const name = programName(text)
  const alternatePattern = isUnclear(text) ? { text: patternOf(text), name: patternOf(name) } : null
  return { text, name, names: programNames(name), isOption: text.startsWith('-'), alternatePattern }
}

/** What a list of words contains, in any order. */
export interface WordIndex {
  readonly texts: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly options: readonly string[]
  /** some word might be what it does not say */
  readonly isUnclear: boolean
  readonly isOpen: boolean
}

const indexes = new WeakMap<readonly Spelling[], WordIndex>()

/**
 * Collects what a list of words contains, so that most patterns are ruled out at once. Cached by
 * the list.
 */
export function indexWords(words: readonly Spelling[], budget?: Budget): WordIndex {
  let index = indexes.get(words)
  if (index === undefined) {
    budget?.spend(words.length)
    const fields = words.flatMap((word) => parseWord(word).alternatives.flat())
    index = {
      texts: new Set(fields.map((field) => field.text)),
      names: new Set(fields.flatMap((field) => field.names)),
      options: [...new Set(fields.flatMap((field) => (field.isOption ? [field.text] : [])))],
      isUnclear: fields.some((field) => field.alternatePattern !== null),
      isOpen: words.some((word) => word.isOpen),
    }
    indexes.set(words, index)
  }
  return index
}
