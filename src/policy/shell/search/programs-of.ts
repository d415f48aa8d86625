import type { Program } from '../programs/program.ts'
import { programNamed } from '../programs/registry.ts'
import { programName, type Spelling } from '../spelling/spelling.ts'
import { textsOf } from '../spelling/spell-word.ts'

/**
 * The entries of the programs that the first `maxWords` words may name; after a word that may
 * vanish, the next one counts too.
 */
export function programsOf(words: readonly Spelling[], maxWords: number): readonly Program[] {
  const names = new Set<string>()
  let mayAllVanish = true
  for (const [index, word] of words.entries()) {
    if (index >= maxWords && !mayAllVanish) break
    mayAllVanish &&= mayVanish(word)
    for (const [field] of word.alternatives) if (field !== undefined) names.add(programName(field))
  }
  return [...names].flatMap((name) => programNamed(name) ?? [])
}

function mayVanish(word: Spelling): boolean {
  return word.isOpen || word.alternatives.some((fields) => fields.length === 0)
}

/** What a program runs when it is called with these words. */
export function runsOf(program: Program, words: readonly Spelling[]): Program['runs'] {
  const { runs, runsWith = [], runsText, runsAfter } = program
  if (runs !== undefined) return runs
  const isText = (text: string): boolean => runsText?.test(text) === true
  if (words.slice(1).flatMap(textsOf).some(isText)) return 'script'
  const mayFollow = (word: Spelling): boolean =>
    word.isOpen || textsOf(word).some((text) => runsAfter?.test(text))
  if (runsAfter !== undefined && words.slice(1).some(mayFollow)) return 'command'
  const hasRunningWord = words.some((word) => textsOf(word).some((text) => runsWith.includes(text)))
  return hasRunningWord ? 'command' : undefined
}

/** The words with options whose value the program runs, and the words after these. */
export function optionWords(
  { runsOption }: Program,
  words: readonly Spelling[],
): readonly Spelling[] {
  if (runsOption === undefined) return []
  const options = runsOption instanceof RegExp ? [runsOption] : optionsIn(runsOption, words)
  if (options.length === 0) return []
  const matching = words.map(
    (word, index) =>
      index > 0 && textsOf(word).some((text) => options.some((option) => option.test(text))),
  )
  return words.filter((_, index) => matching[index] === true || matching[index - 1] === true)
}

/** The options of every subcommand that a word names, wherever it is. */
function optionsIn(
  bySubcommand: Readonly<Record<string, RegExp>>,
  words: readonly Spelling[],
): readonly RegExp[] {
  const texts = new Set(words.slice(1).flatMap(textsOf))
  return Object.entries(bySubcommand).flatMap(([name, option]) => (texts.has(name) ? option : []))
}

/** Whether an interpreter reads its input: it has no file argument, or `-`. */
export function readsInput(words: readonly Spelling[]): boolean {
  return words.slice(1).every((word) => textsOf(word).some((text) => text.startsWith('-')))
}
