import { exactly, programName, type Spelling } from '../spelling/spelling.ts'
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

/** `git -c alias.x=push x`: the commands that an alias in the call defines. */
export function aliasStarts(
  words: readonly Spelling[],
  programs: readonly { readonly aliases?: RegExp }[],
): readonly CommandStart[] {
  const pattern = programs.find((program) => program.aliases !== undefined)?.aliases
  const [name, ...rest] = words
  if (pattern === undefined || name === undefined) return []
  return rest.flatMap((word, index) =>
    textsOf(word).flatMap((text) => {
      const expansion = pattern.exec(text)?.[1]
      if (expansion === undefined) return []
      const expandedWords = expansion.split(/\s+/).map(exactly)
      return [{ words: [name, ...expandedWords, ...rest.slice(index + 2)], from: 0 }]
    }),
  )
}

/**
 * Git's commands by other names: `git-push`, which is a file of its own, and those that `git
 * for-each-repo` runs.
 */
export function gitStarts(words: readonly Spelling[]): readonly CommandStart[] {
  const [name, ...rest] = words
  const names = name === undefined ? [] : textsOf(name).map(programName)
  const dashed = names.flatMap((text) => /^git-(.+)$/.exec(text)?.[1] ?? [])
  const isForEach = rest.some((word) => textsOf(word).includes('for-each-repo'))
  const each = isForEach ? rest.map((_, index) => rest.slice(index)) : []
  return [...dashed.map((verb) => [exactly(verb), ...rest]), ...each].map((after) => ({
    words: [exactly('git'), ...after],
    from: 0,
  }))
}
