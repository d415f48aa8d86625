import { exactly, programName, type Spelling } from '../spelling/spelling.ts'
import { gitCommand } from '../programs/program-names.ts'
import type { Budget } from '../spelling/budget.ts'
import { textsOf } from '../spelling/spell-word.ts'
import { programsOf } from './programs-of.ts'

/** A list of words and the index at which a command may begin. */
export interface CommandStart {
  readonly words: readonly Spelling[]
  readonly from: number
}

/** A command may begin at every word after the first. */
export function startsIn(words: readonly Spelling[]): readonly CommandStart[] {
  return words.slice(1).map((_, index) => ({ words, from: index + 1 }))
}

/**
 * `xargs` and similar programs may get any words from their input: after the command, or where an
 * option says so.
 */
export function inputStarts(words: readonly Spelling[]): readonly CommandStart[] {
  const anyWord: Spelling = { alternatives: [[]], isOpen: true }
  const texts = words.map((word) => textsOf(word)[0] ?? '')
  const at = texts.findIndex((text) => /^(?:-[Ii]|--replace)/.test(text))
  const glued = texts[at]?.replace(/^(?:-[Ii]|--replace=?)/, '') ?? ''
  const mark = (glued === '' && texts[at] === '-I' ? texts[at + 1] : glued) || '{}'
  const from = at + (texts[at] === '-I' ? 2 : 1)
  const isReplaced = (index: number): boolean =>
    at >= 0 && index >= from && texts[index]?.includes(mark) === true
  const replaced = [...words.map((word, index) => (isReplaced(index) ? anyWord : word)), anyWord]
  // Only after a wrapper, or as a command of its own, is its input a command.
  const isWrapped = programsOf(words.slice(1), words.length).some(({ runs }) => runs !== undefined)
  const first = texts.findIndex((text, index) => index >= from && !text.startsWith('-'))
  return startsIn(replaced).filter(
    (start) => isWrapped || start.from === first || replaced[start.from] !== anyWord,
  )
}

/**
 * `git -c alias.x=push x`: the commands that an alias in the call defines. Each contains all words
 * of the call, which takes a step of the budget for each word. If that is too much, there are none.
 */
export function aliasStarts(
  words: readonly Spelling[],
  programs: readonly { readonly aliases?: RegExp }[],
  budget: Budget,
): readonly CommandStart[] {
  const pattern = programs.find((program) => program.aliases !== undefined)?.aliases
  const [name, ...rest] = words
  if (pattern === undefined || name === undefined) return []
  const expansions = rest.flatMap((word, index) =>
    textsOf(word).flatMap((text) => {
      const expansion = pattern.exec(text)?.[1]
      return expansion === undefined ? [] : [{ expansion, index }]
    }),
  )
  if (!budget.spend(expansions.length * words.length)) return []
  return expansions.map(({ expansion, index }) => {
    const expandedWords = expansion.split(/\s+/).map(exactly)
    return { words: [name, ...expandedWords, ...rest.slice(index + 2)], from: 0 }
  })
}

/** `git-push x` as `git push x`; `null` when the first word names no such file. */
export function plainGitWords(words: readonly Spelling[]): readonly Spelling[] | null {
  const [name, ...rest] = words
  const [verb] =
    name === undefined ? [] : textsOf(name).flatMap((text) => gitCommand(programName(text)) ?? [])
  return verb === undefined ? null : [exactly('git'), exactly(verb), ...rest]
}
