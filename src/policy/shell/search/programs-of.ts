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
  for (const [index, word] of words.entries()) {
    if (index >= maxWords && !words.slice(0, index).every(mayVanish)) break
    for (const [field] of word.alternatives) if (field !== undefined) names.add(programName(field))
  }
  return [...names].flatMap((name) => programNamed(name) ?? [])
}

function mayVanish(word: Spelling): boolean {
  return word.isOpen || word.alternatives.some((fields) => fields.length === 0)
}

/** What a program runs when it is called with these words. */
export function runsOf(program: Program, words: readonly Spelling[]): Program['runs'] {
  const { runs, runsWith = [], runsText } = program
  if (runs !== undefined) return runs
  const isText = (text: string): boolean => runsText?.test(text) === true
  if (words.slice(1).flatMap(textsOf).some(isText)) return 'script'
  const hasRunningWord = words.some((word) => textsOf(word).some((text) => runsWith.includes(text)))
  return hasRunningWord ? 'command' : undefined
}

/** Whether an interpreter reads its input: it has no file argument, or `-`. */
export function readsInput(words: readonly Spelling[]): boolean {
  return words.slice(1).every((word) => textsOf(word).some((text) => text.startsWith('-')))
}
