import path from 'node:path'
import type { CommandInput } from '#domain/tools/command.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { CommandAnalysis } from '#policy/shell/analyse-command.ts'
import type { Search } from '#policy/shell/search/possible-commands.ts'
import { scanTokens } from '#policy/shell/search/scan-tokens.ts'
import { textsOf } from '#policy/shell/spelling/spell-word.ts'
import { isFolder, realPathOf } from '#sandbox/real-path.ts'

/** A command's words; each has one or more possible texts. */
export type WordTexts = readonly (readonly string[])[]

/** The words by which a command may name files. */
export interface NamedWords {
  /** every simple command of it, including those in texts that a command runs (`bash -c`) */
  readonly commands: readonly WordTexts[]
  /**
   * folders that names may be relative to: its own, and those it enters; relative to the root, or
   * absolute outside of it
   */
  readonly folders: readonly string[]
  /** everything that it runs is known, and it redirects nothing into a file */
  readonly isPlain: boolean
}

const changes = new Set(['cd', 'pushd'])
const maxFolders = 64
/** Where one `cd` may lead, also where nothing exists. */
const maxEntered = 1000
const maxCommands = 5000
/** Each word is looked for in each folder, under each name that it may mean. */
export const maxPlaces = 20_000
/**
 * Times that a folder is entered from another one, each text of a word counted. A long text counts
 * as several, and so does one with many names behind `..`.
 */
const maxSteps = 100_000
const charactersOfStep = 256

/**
 * Finds the words by which a command may name files; over-approximates. `root`: real path of the
 * workspace. Rejects with `ToolProblem` for a command that may name too many: a file that is not
 * looked for would run unseen.
 */
export async function namedWords(root: string, analysis: CommandAnalysis): Promise<NamedWords> {
  const { input, search, isComplete } = analysis
  if (search.commands.length > maxCommands) throw tooMany()
  const commands = search.commands.map(({ node, words }): WordTexts => {
    const read = (node?.redirects ?? []).flatMap((redirect) =>
      redirect.type === 'Redirect' && redirect.operator === '<' && redirect.target !== undefined
        ? [[redirect.target.value]]
        : [],
    )
    return [...words.map(textsOf), ...read]
  })
  const isCut = search.isTooDeep || search.isTooMuch
  const unparsed = isCut && input.kind === 'shell' ? scanTokens(input.script) : []
  commands.push(...unparsedCommands([...search.scanned, ...unparsed]))
  const isKnown = isComplete && !isCut && search.computed.length + search.scanned.length === 0
  const folders = await foldersOf(root, input.cwd, commands)
  if (folders.length * new Set(commands.flat(2)).size > maxPlaces) throw tooMany()
  return { commands, folders, isPlain: isKnown && !writes(input) }
}

/**
 * The words of texts that are nested too deep, too long or not valid: each may name a file, and a
 * folder follows `cd`. They stand behind `cat`, so that these files are compared before the command
 * runs and not copied: the text may be one that changes them (`perl -pi`).
 */
function unparsedCommands(readings: Search['scanned']): readonly WordTexts[] {
  const words = new Set(readings.flat())
  const entered = readings.flatMap((reading) =>
    reading.flatMap((word, index) => (changes.has(word) ? [reading[index + 1] ?? ''] : [])),
  )
  return [
    ...[...words].map((word) => [['cat'], [word]]),
    ...[...new Set(entered)].map((word) => [['cd'], [word]]),
  ]
}

/** The refusal of a command that may name too many files. */
export function tooMany(): ToolProblem {
  return new ToolProblem(
    `The command may name too many files for its approver: it can have at most ${maxCommands} simple commands and ${maxFolders} folders, and ${maxPlaces} places for files. Divide it into several calls.`,
  )
}

/** Options with a folder in the next word, with abbreviations, or in the same word. */
const folderOption = /^(?:-[A-Za-z]*C|--(?:di(?:r[a-z]*)?|ch(?:d[a-z]*)?|prefix|cwd))$/
const attachedFolder = /^(?:-[A-Za-z]*?C|--(?:di(?:r[a-z]*)?|ch(?:d[a-z]*)?|prefix|cwd)=)(.+)$/s

/** The texts of a word that a command enters as a folder; `bySelf`: the shell changes to it. */
interface EnteredWord {
  readonly texts: readonly string[]
  readonly bySelf: boolean
}

/**
 * The folders in which the commands may work. A folder of `cd` is relative to the one before it,
 * and stays. A folder of an option is relative to the same, or to the option before it, and is left
 * when its command ends. `popd`, `cd -` and the end of a subshell lead back, so each is also tried
 * from every earlier folder that exists.
 */
async function foldersOf(
  root: string,
  cwd: string,
  commands: readonly WordTexts[],
): Promise<readonly string[]> {
  const existing = new Set([cwd])
  const seen = new Set([cwd])
  let current: readonly string[] = [cwd]
  let inner: readonly string[] = []
  const ways = new Map<string, readonly string[]>()
  let stepsLeft = maxSteps
  const enterOnce = async (
    from: string,
    text: string,
    bySelf: boolean,
  ): Promise<readonly string[]> => {
    const way = JSON.stringify([from, text, bySelf])
    stepsLeft -= 1 + way.length / charactersOfStep
    if (!ways.has(way)) stepsLeft -= namesBehindUp(text)
    if (stepsLeft < 0) throw tooMany()
    const ends = ways.get(way) ?? (await foldersAt(root, from, text, bySelf))
    ways.set(way, ends)
    for (const folder of ends) {
      if (!seen.has(folder) && (await isFolder(path.resolve(root, folder)))) existing.add(folder)
      seen.add(folder)
    }
    if (existing.size > maxFolders) throw tooMany()
    return ends
  }
  const enter = async (
    from: readonly string[],
    { texts, bySelf }: EnteredWord,
  ): Promise<readonly string[]> => {
    const ends = new Set<string>()
    for (const base of from) {
      for (const text of texts) {
        for (const folder of await enterOnce(base, text, bySelf)) ends.add(folder)
      }
    }
    if (ends.size > maxEntered) throw tooMany()
    return [...ends]
  }
  for (const word of commands.flatMap(enteredWords)) {
    await enter([...existing], word)
    if (word.bySelf) {
      current = await enter([...current, ...inner], word)
      inner = []
    } else {
      inner = await enter(inner.length === 0 ? current : inner, word)
    }
  }
  return [...existing]
}

function enteredWords(words: WordTexts): readonly EnteredWord[] {
  // Behind `command`, `builtin` and others too.
  const change = words.findIndex((texts) => texts.some((text) => changes.has(text)))
  return words.flatMap((all, index) => {
    const bySelf = change >= 0 && index > change
    const isEntered = bySelf || folderOption.test(words[index - 1]?.[0] ?? '')
    const texts = isEntered
      ? all.filter((text) => text !== '' && !text.startsWith('-'))
      : all.flatMap((text) => attachedFolder.exec(text)?.[1] ?? [])
    return texts.length === 0 ? [] : [{ texts, bySelf }]
  })
}

/** A path with `..` among its names. */
export const goesUp = /(?:^|\/)\.\.(?:\/|$)/

/** A bound for the names behind the last `..`: until one exists, each is looked at on the disk. */
export function namesBehindUp(text: string): number {
  const parts = text.split(goesUp)
  return parts.length === 1 ? 0 : (parts.at(-1) ?? '').split('/').length
}

/**
 * Where a text leads from a folder. The kernel resolves `..` after the links before it; `cd`
 * removes `..` from the text first, unless it has the option `-P`.
 */
async function foldersAt(
  root: string,
  from: string,
  text: string,
  bySelf: boolean,
): Promise<readonly string[]> {
  const absolute = path.isAbsolute(text) ? text : `${path.resolve(root, from)}/${text}`
  const short = folderIn(root, path.resolve(absolute))
  const real = goesUp.test(text) ? await realPathOf(absolute) : null
  if (real === null) return [short]
  return bySelf ? [short, folderIn(root, real)] : [folderIn(root, real)]
}

/** A folder relative to the root, or absolute outside of it. */
function folderIn(root: string, absolute: string): string {
  const below = path.relative(root, absolute)
  return below === '..' || below.startsWith('../') ? absolute : below
}

/** Whether it redirects into anything but another descriptor or `/dev/null`. */
function writes(input: CommandInput): boolean {
  if (input.kind === 'exec') return false
  return input.script.replace(/\d?>{1,2}\s*(?:&\d|\/dev\/null\b)/g, '').includes('>')
}
