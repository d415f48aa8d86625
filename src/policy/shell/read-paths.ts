import type { CommandAnalysis } from './analyse-command.ts'
import { words as splitWords } from '../names/words.ts'
import type { ReadOperands } from './programs/program.ts'
import { programNamed } from './programs/registry.ts'
import { possibleCommands, type PossibleCommand } from './search/possible-commands.ts'
import { anyCharacter, anyText, programName, type Spelling } from './spelling/spelling.ts'
import { operandsOf } from './strict/check-arguments.ts'
import { expandWord, literalWord } from './strict/expand-word.ts'
import { commandIndex } from './rules/pre-approve.ts'

const shells: ReadonlySet<string> = new Set(splitWords('sh bash dash zsh ksh ash'))
/** Programs whose first word, where it is no option, is a file that they run. */
const scriptRunners: ReadonlySet<string> = new Set([
  ...shells,
  ...splitWords('source . python python2 python3 node perl ruby php'),
])
const folderChanges: ReadonlySet<string> = new Set(splitWords('cd pushd popd chdir'))
/** Wrappers whose command is their first word, where that is no option. */
const plainWrappers: ReadonlySet<string> = new Set(
  splitWords('sudo doas command exec builtin time xargs'),
)
const maxScripts = 3

/**
 * The paths that a command certainly reads, as its text names them: operands of programs that are
 * known to read them, what it runs by a path, where it changes to, and its input. Words that a
 * command only mentions (`echo`, the pattern of `grep`, the message of a commit) are not among
 * them, nor is what unknown programs do with theirs. Relative paths count from the working folder.
 */
export function readPaths({ input, search }: CommandAnalysis): readonly string[] {
  return input.kind === 'exec'
    ? pathsOfVector(search.commands[0]?.words ?? [], 0)
    : pathsOfScript(input.script, search.commands, 0)
}

function pathsOfScript(
  script: string,
  commands: readonly PossibleCommand[],
  depth: number,
): readonly string[] {
  const own = commands.filter(({ node }) => node !== null)
  const folder = folderOf(script, own)
  const paths = own.flatMap((command) => [
    ...pathsOfVector(command.words, depth),
    ...inputsOf(command),
  ])
  if (folder === 'own') return paths
  const changed = folder === null ? [] : [folder]
  return [
    ...changed,
    ...paths.flatMap((path) => {
      if (path.startsWith('/')) return [path]
      return changed.map((at) => `${at}/${path}`)
    }),
  ]
}

/**
 * The folder that relative paths of a script count from: `own`, or where its first command changes
 * to. `null`: unknown.
 */
function folderOf(script: string, commands: readonly PossibleCommand[]): string | null {
  const changes = commands.filter(({ words }) => folderChanges.has(textOf(words[0]) ?? ''))
  const [change] = changes
  if (change === undefined) return 'own'
  const [name, target, ...rest] = change.words.map(textOf)
  const { node } = change
  if (node === null || change !== commands[0] || changes.length > 1) return null
  if (name !== 'cd' || target === undefined || target === null || rest.length > 0) return null
  const isFirst = script.slice(0, node.pos).trim() === ''
  const isPlain = /^\s*(?:&&|;|\n|$)/.test(script.slice(node.end))
  return isFirst && isPlain && /^[^-~]/.test(target) ? target : null
}

function inputsOf({ node }: PossibleCommand): readonly string[] {
  return (node?.redirects ?? []).flatMap((redirect) => {
    if (redirect.type !== 'Redirect' || redirect.operator !== '<') return []
    const word = redirect.target === undefined ? '' : expandWord(redirect.target)
    return typeof word === 'string' || word.hasVariable ? [] : [word.text]
  })
}

function pathsOfVector(words: readonly Spelling[], depth: number): readonly string[] {
  const [first] = words
  const file = textOf(first)
  if (file === null) return []
  const name = programName(file)
  const own = file.includes('/') ? [file] : []
  const at = commandAt(name, words)
  if (at !== null) return [...own, ...pathsOfVector(words.slice(at), depth)]
  const next = textOf(words[1])
  if (shells.has(name) && next !== null && /^-[a-z]*c$/.test(next)) {
    const script = textOf(words[2])
    if (script === null || depth >= maxScripts) return own
    return [...own, ...pathsOfScript(script, possibleCommands(script, null).commands, depth + 1)]
  }
  if (scriptRunners.has(name)) {
    return next === null || /^[-+]/.test(next) ? own : [...own, next]
  }
  const reads = programNamed(name)?.reads
  return reads === undefined ? own : [...own, ...operandPaths(name, reads, words.slice(1))]
}

/** The index of the command that a wrapper runs; `null`: it is none, or its options are unknown. */
function commandAt(name: string, words: readonly Spelling[]): number | null {
  const program = programNamed(name)
  if (plainWrappers.has(name)) {
    const next = textOf(words[1])
    return next === null || next.startsWith('-') ? null : 1
  }
  if (program?.wraps === undefined) return null
  const texts = words.slice(1).map(textOf)
  const index = commandIndex(
    program,
    texts.map((text) => literalWord(text ?? '')),
  )
  return index === null || texts.slice(0, index).includes(null) ? null : index + 1
}

function operandPaths(
  name: string,
  { from, butLast, allWith, options }: ReadOperands,
  words: readonly Spelling[],
): readonly string[] {
  const texts = words.map((word) => textOf(word))
  // A word that is not known may be an option, or the pattern.
  if (from > 0 && texts.includes(null)) return []
  const args = texts.map((text) => literalWord(text ?? anyText))
  const isOption = (text: string | null): boolean => text?.startsWith('-') === true && text !== '-'
  const indexes =
    options === undefined
      ? operandsOf(programNamed(name), args)
      : texts.every((text) => !isOption(text) || options.test(text ?? ''))
        ? texts.flatMap((text, index) => (isOption(text) ? [] : [index]))
        : null
  if (indexes === null) return []
  const isAll = allWith !== undefined && texts.some((text) => text !== null && allWith.test(text))
  const files = indexes.slice(isAll ? 0 : from, butLast === true ? -1 : undefined)
  return files.flatMap((index) => pathTexts(words[index]))
}

/** What a word may be as a path; of a file pattern, the folder that it looks in. */
function pathTexts(word: Spelling | undefined): readonly string[] {
  if (word === undefined || word.isOpen) return []
  return word.alternatives.flatMap(([text, ...more]) => {
    if (text === undefined || more.length > 0) return []
    const mark = [...text].findIndex((character) => [anyText, anyCharacter].includes(character))
    if (mark === -1) return [text]
    const before = [...text].slice(0, mark).join('')
    return before.includes('/') ? [before.slice(0, before.lastIndexOf('/') + 1)] : []
  })
}

/** A word's text, the first of several; `null`: it is unknown, or not one word. */
function textOf(word: Spelling | undefined): string | null {
  if (word === undefined || word.isOpen) return null
  const [first] = word.alternatives
  return word.alternatives.every(({ length }) => length === 1) ? (first?.[0] ?? null) : null
}
