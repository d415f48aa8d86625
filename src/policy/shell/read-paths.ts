import type { CommandAnalysis } from './analyse-command.ts'
import { wordSet } from '#domain/text/word-set.ts'
import type { ReadOperands } from './programs/program.ts'
import { programNamed } from './programs/registry.ts'
import { shells } from './programs/shells.ts'
import { possibleCommands, type PossibleCommand } from './search/possible-commands.ts'
import { Budget, maxSteps } from './spelling/budget.ts'
import { anyCharacter, anyText, programName, type Spelling } from './spelling/spelling.ts'
import { operandsOf } from './strict/check-arguments.ts'
import { expandWord, literalWord } from './strict/expand-word.ts'
import { commandIndex } from './rules/pre-approve.ts'

/** Programs whose first word, where it is no option, is a file that they run. */
const scriptRunners: ReadonlySet<string> = new Set([
  ...shells,
  ...wordSet('source . python python2 python3 node perl ruby php'),
])
const folderChanges = wordSet('cd pushd popd chdir')
/** Builtins that may run one of {@link folderChanges}. */
const folderRunners = wordSet('command builtin eval')
/** Wrappers whose command is their first word, where that is no option. */
const plainWrappers = wordSet('sudo doas command exec builtin time xargs')
const maxScripts = 3

/** With more paths than these the command means too much: each is looked up on the disk. */
const maxPaths = 1000

/**
 * The paths that a command certainly reads, as its text names them: operands of programs that are
 * known to read them, files that it runs by a path, folders that it changes to, and its input.
 * Words that a command only mentions (`echo`, the pattern of `grep`, the message of a commit) are
 * not among them, and neither are the operands of unknown programs. Relative paths count from the
 * working folder. `null`: finding them takes too much (budget.ts).
 */
export function readPaths({ input, search }: CommandAnalysis): ReadonlySet<string> | null {
  const reading = new PathReading()
  const paths =
    input.kind === 'exec'
      ? new Set(reading.pathsOfVector(search.commands[0]?.words ?? [], 0))
      : reading.pathsOfScript(input.script, search.commands, 0)
  return reading.isTooMuch || paths.size > maxPaths ? null : paths
}

/** Reads the scripts in one text, with one budget for all of them. */
class PathReading {
  readonly #budget = new Budget(maxSteps.reading)
  readonly #pathsByScript = new Map<string, ReadonlySet<string>>()

  get isTooMuch(): boolean {
    return this.#budget.isSpent
  }

  pathsOfScript(
    script: string,
    commands: readonly PossibleCommand[],
    depth: number,
  ): ReadonlySet<string> {
    const own = commands.filter(({ node }) => node !== null)
    const folder = folderOf(script, own)
    const changed = folder === null || folder === 'own' ? [] : [folder]
    const paths = new Set(changed)
    for (const command of own) {
      for (const path of [...this.pathsOfVector(command.words, depth), ...inputsOf(command)]) {
        if (!this.#budget.spend(0.1)) return paths
        if (folder === 'own' || path.startsWith('/')) paths.add(path)
        else for (const at of changed) paths.add(`${at}/${path}`)
      }
    }
    return paths
  }

  pathsOfVector(words: readonly Spelling[], depth: number): readonly string[] {
    const [first] = words
    const file = textOf(first)
    // A wrapper within a wrapper reads all words behind it once more.
    if (file === null || !this.#budget.spend(words.length / 16)) return []
    const name = programName(file)
    const own = file.includes('/') ? [file] : []
    const at = commandAt(name, words)
    if (at !== null) return [...own, ...this.pathsOfVector(words.slice(at), depth)]
    const next = textOf(words[1])
    if (shells.has(name) && next !== null && /^-[a-z]*c$/.test(next)) {
      const script = textOf(words[2])
      return script === null || depth >= maxScripts
        ? own
        : [...own, ...this.#pathsOfText(script, depth + 1)]
    }
    if (scriptRunners.has(name)) {
      return next === null || /^[-+]/.test(next) ? own : [...own, next]
    }
    const reads = programNamed(name)?.reads
    return reads === undefined ? own : [...own, ...operandPaths(name, reads, words.slice(1))]
  }

  /** Equal scripts are read once. */
  #pathsOfText(script: string, depth: number): ReadonlySet<string> {
    const key = `${depth} ${script}`
    const earlier = this.#pathsByScript.get(key)
    if (earlier !== undefined) return earlier
    const { commands } = possibleCommands(script, null, this.#budget)
    const paths = this.pathsOfScript(script, commands, depth)
    this.#pathsByScript.set(key, paths)
    return paths
  }
}

/**
 * The folder that relative paths of a script count from: `own`, or where its first command changes
 * to. `null`: unknown.
 */
function folderOf(script: string, commands: readonly PossibleCommand[]): string | null {
  const changes = commands.filter(({ words }) => mayChangeFolder(words.map(textOf)))
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

function mayChangeFolder([name, ...words]: readonly (string | null)[]): boolean {
  if (folderChanges.has(name ?? '')) return true
  if (!folderRunners.has(name ?? '')) return false
  return words.some(
    (word) => word === null || word.split(/\W+/).some((part) => folderChanges.has(part)),
  )
}

function inputsOf({ node }: PossibleCommand): readonly string[] {
  return (node?.redirects ?? []).flatMap((redirect) => {
    if (redirect.type !== 'Redirect' || redirect.operator !== '<') return []
    const word = redirect.target === undefined ? '' : expandWord(redirect.target)
    return typeof word === 'string' || word.hasVariable ? [] : [word.text]
  })
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
  reads: ReadOperands,
  words: readonly Spelling[],
): readonly string[] {
  const { from, to, butLast, allWith = [], unclearWith = [], idle, options } = reads
  const texts = words.map((word) => textOf(word))
  // A word that is not known may be an option, or the pattern.
  if (from > 0 && texts.includes(null)) return []
  const operands =
    options === undefined
      ? operandsOf(
          programNamed(name),
          texts.map((text) => literalWord(text ?? anyText)),
        )
      : operandsWith(options, texts)
  if (operands === null) return []
  const { indexes, flags } = operands
  if (unclearWith.some((flag) => flags.has(flag))) return []
  if (idle?.test(texts[indexes[0] ?? 0] ?? '') === true) return []
  const isAll = allWith.some((flag) => flags.has(flag))
  const files = indexes.slice(isAll ? 0 : from, butLast === true ? -1 : to)
  return files.flatMap((index) => pathTexts(words[index]))
}

/** The operands of a program whose known options have no values. */
function operandsWith(
  options: RegExp,
  texts: readonly (string | null)[],
): ReturnType<typeof operandsOf> {
  const isOption = (text: string | null): boolean => text?.startsWith('-') === true && text !== '-'
  if (texts.some((text) => isOption(text) && !options.test(text ?? ''))) return null
  const indexes = texts.flatMap((text, index) => (isOption(text) ? [] : [index]))
  return { indexes, flags: new Set() }
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
