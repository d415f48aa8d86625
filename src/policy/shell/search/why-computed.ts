import { words } from '../../names/words.ts'
import type { Program } from '../programs/program.ts'
import { programNames } from '../programs/program-names.ts'
import { programName, type Spelling } from '../spelling/spelling.ts'

/** Replaces an unknown word where there may be code. */
const anyCode = '-e system()'

/** Programs that write nothing except through redirects. */
const readers = new Set(words('cat ls head tail grep wc test [ stat file diff echo printf'))

/**
 * Why the effect of one command is unknown before it runs, so that its text cannot show what is
 * blocked; a sentence, or `null`. `runners` are the programs that its words may name.
 */
export function whyComputed(
  words: readonly Spelling[],
  runners: readonly Program[],
): string | null {
  const [name = ''] = words.map(textOf)
  const settings = /^(?:PATH|LD_[A-Z_]+|BASH_ENV|ENV)=/
  if (words.some((word) => settings.test(textOf(word)))) return pathChanged
  if (name === 'hash' || name === 'enable') return pathChanged
  const aliases = runners.some(({ names }) => names.includes('alias'))
  if (aliases && words.some((word) => textOf(word) === 'alias')) return nameRedefined
  const runsScript = runners.some(({ runs, readsScript }) => runs === 'script' && readsScript)
  if (runsScript && words.slice(1).some((word) => word.isOpen)) {
    return `${name} runs a text that is put together only when it runs`
  }
  const hides = runners.some((program) => program.hidesCode?.(wordsBehind(program, words)) === true)
  return hides ? `${name} runs code in a language that is not read` : null
}

/** The script sets where programs are looked for. */
export const pathChanged = 'it changes where programs are looked for'

/** `alias g=git`: the name later means another one, with the words after it. */
const nameRedefined = 'it gives a name another meaning'

function isNamed(program: Program, text: string): boolean {
  return programNames(programName(text)).some((name) => program.names.includes(name))
}

/**
 * The texts after a program's name; an unknown word may be code, unless it is an argument of a file
 * that is named.
 */
function wordsBehind(program: Program, words: readonly Spelling[]): readonly string[] {
  const at = words.findIndex((word) => isNamed(program, textOf(word)))
  const rest = words.slice(at + 1)
  const file = rest.findIndex((word) => !word.isOpen && !textOf(word).startsWith('-'))
  return rest.map((word, index) =>
    word.isOpen && (file < 0 || index < file) ? anyCode : textOf(word),
  )
}

/** The program among these words that runs its input, if there is one. */
function inputReader(words: readonly Spelling[], runners: readonly Program[]): Program | undefined {
  const texts = words.map(textOf)
  return runners.find((program) => {
    if (program.readsScript !== true && program.hidesCode === undefined) return false
    const at = texts.findIndex((text) => isNamed(program, text))
    const rest = texts.slice(at + 1)
    if (rest.some((text) => /^\/(?:dev|proc)\//.test(text))) return true
    if (/^(?:eval|source|\.|trap|alias)$/.test(texts[at] ?? '')) return false
    const operands = rest.filter(
      (text, index) => !/^[-+]/.test(text) && !/^[-+][oO]$/.test(rest[index - 1] ?? ''),
    )
    // `bash -c sh` reads its input as `sh` does.
    const isShell = (text: string): boolean => isNamed(program, text)
    return operands.length === 0 || rest.includes('-s') || operands.some(isShell)
  })
}

/** Whether a command prints exactly its text, so that a shell's input is clear. */
function printsLiterally(words: readonly Spelling[]): boolean {
  const texts = words.map(textOf)
  if (words.some((word) => word.isOpen)) return false
  if (texts[0] === 'cat') return texts.length === 1
  return texts[0] === 'echo' && texts.every((text) => !text.includes('\\'))
}

/** The files that a command runs, by their names without folders. */
function filesRun(words: readonly Spelling[], runners: readonly Program[]): readonly string[] {
  const [name = '', ...rest] = words.map(textOf)
  const ownFiles = name.includes('/') ? [name] : []
  const runsFile = runners.some(({ runs }) => runs === 'script' || runs === 'code')
  const namedFiles = runsFile ? rest.filter((text) => !text.startsWith('-')) : []
  return [...ownFiles, ...namedFiles].map(baseName)
}

/** The names of files that a command may write, whatever its program. */
function filesNamed(words: readonly Spelling[]): readonly string[] {
  const [name = '', ...rest] = words.map(textOf)
  return readers.has(programName(name))
    ? []
    : rest.map((text) => baseName(text.replace(/^.*=/, '')))
}

/** A command with its words. */
export interface SpelledCommand {
  readonly words: readonly Spelling[]
  readonly runners: readonly Program[]
}

/**
 * Why the combined effect of several commands of a script is unknown before they run; a sentence,
 * or `null`.
 */
export function whyComputedTogether(
  commands: readonly SpelledCommand[],
  inputTexts: readonly string[],
  writtenFiles: readonly Spelling[],
  inner: boolean,
): string | null {
  for (const command of commands) {
    const reader = inputReader(command.words, command.runners)
    if (reader === undefined) continue
    const otherCommands = commands.filter((other) => other !== command)
    const isRead =
      reader.runs === 'script' &&
      otherCommands.every(({ words }) => printsLiterally(words)) &&
      inputTexts.every((text) => !/[$`]/.test(text))
    if (inner || !(isRead || otherCommands.length + inputTexts.length === 0)) {
      return `${textOf(command.words[0])} runs what another command prints, or what is handed to it`
    }
  }
  const writtenNames = new Set(writtenFiles.map((word) => baseName(textOf(word))))
  const namings = namingCommands(commands)
  for (const command of commands) {
    const run = filesRun(command.words, command.runners)
    if (run.length === 0) continue
    if (writtenFiles.some((word) => word.isOpen)) return 'it writes a file that may be run'
    const file = run.find(
      (name) =>
        writtenNames.has(name) || namings.get(name)?.some((other) => other !== command) === true,
    )
    if (file !== undefined) return `it runs ${JSON.stringify(file)}, which it may write itself`
  }
  return null
}

/** For the name of each file, the commands that may write it: at most two of them. */
function namingCommands(
  commands: readonly SpelledCommand[],
): ReadonlyMap<string, readonly SpelledCommand[]> {
  const namings = new Map<string, SpelledCommand[]>()
  for (const command of commands) {
    for (const name of new Set(filesNamed(command.words))) {
      const list = namings.get(name) ?? []
      // Two are enough: one of them is not the command that runs the file.
      if (list.length < 2) list.push(command)
      namings.set(name, list)
    }
  }
  return namings
}

function baseName(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1)
}

function textOf(word: Spelling | undefined): string {
  return word?.alternatives[0]?.join(' ') ?? ''
}
