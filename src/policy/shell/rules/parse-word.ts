import { gitCommand, programNames } from '../programs/program-names.ts'
import type { Budget } from '../spelling/budget.ts'
import { isUnclear, patternOf, programName, type Spelling } from '../spelling/spelling.ts'

/** One field of a word in the form that patterns compare. */
export interface ParsedField {
  readonly text: string
  /** as a program's name, and the names that it stands for */
  readonly name: string
  readonly names: readonly string[]
  readonly isOption: boolean
  /** `push` of `git-push`, which may begin a command of Git */
  readonly gitCommand: ParsedField | null
  /**
   * matches everything that it could be, when it has a file pattern or invisible characters;
   * `name`: as a program's name
   */
  readonly alternatePattern: {
    readonly text: readonly string[]
    readonly name: readonly string[]
  } | null
}

/** A spelling, parsed once for all patterns. */
export interface ParsedWord {
  readonly alternatives: readonly (readonly ParsedField[])[]
  readonly isOpen: boolean
  /** steps of a comparison: one for each alternative, and one for every eight fields more in it */
  readonly size: number
  /** characters of fields that must be compared one by one */
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
    const size = alternatives.reduce((sum, { length }) => sum + 1 + Math.max(0, length - 1) / 8, 0)
    word = { alternatives, isOpen: spelling.isOpen, size, unclearLength }
    parsedWords.set(spelling, word)
  }
  return word
}

function parseField(text: string): ParsedField {
  const name = programName(text)
  const alternatePattern = isUnclear(text) ? { text: patternOf(text), name: patternOf(name) } : null
  const command = gitCommand(name)
  return {
    text,
    name,
    names: programNames(name),
    isOption: text.startsWith('-'),
    gitCommand: command === null ? null : parseField(command),
    alternatePattern,
  }
}

/** The set of words in a list, in any order. */
export interface WordIndex {
  readonly texts: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly options: readonly string[]
  /** some word might become something else */
  readonly isUnclear: boolean
  readonly isOpen: boolean
}

const indexes = new WeakMap<readonly Spelling[], WordIndex>()

/** Indexes a list of words, so that most patterns are excluded at once. Cached by the list. */
export function indexWords(words: readonly Spelling[], budget?: Budget): WordIndex {
  let index = indexes.get(words)
  if (index === undefined) {
    budget?.spend(words.length)
    const written = words.flatMap((word) => parseWord(word).alternatives.flat())
    const commands = written.flatMap((field) => field.gitCommand ?? [])
    const fields = [...written, ...commands]
    index = {
      texts: new Set(fields.map((field) => field.text)),
      names: new Set([
        ...fields.flatMap((field) => field.names),
        ...(commands.length === 0 ? [] : ['git']),
      ]),
      options: [...new Set(fields.flatMap((field) => (field.isOption ? [field.text] : [])))],
      isUnclear: fields.some((field) => field.alternatePattern !== null),
      isOpen: words.some((word) => word.isOpen),
    }
    indexes.set(words, index)
  }
  return index
}
