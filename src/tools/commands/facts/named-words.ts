import path from 'node:path'
import type { CommandInput } from '#domain/tools/command.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { analyseCommand } from '#policy/shell/analyse-command.ts'
import { textsOf } from '#policy/shell/spelling/spell-word.ts'

/** A command's words; each has one or more possible texts. */
export type WordTexts = readonly (readonly string[])[]

/** The words by which a command may name files. */
export interface NamedWords {
  /** every simple command of it, including those in texts that a command runs (`bash -c`) */
  readonly commands: readonly WordTexts[]
  /** folders that names may be relative to, from the root: its own, and those it enters */
  readonly folders: readonly string[]
  /** everything that it runs is known, and it redirects nothing into a file */
  readonly plain: boolean
}

const maxFolders = 64
const maxCommands = 5000
/** Each word is looked for in each folder. */
const maxPlaces = 20_000

/**
 * Finds the words by which a command may name files. Pure; over-approximates. Throws `ToolProblem`
 * for a command that may name too many: a file that is not looked for would run unseen.
 */
export function namedWords(input: CommandInput): NamedWords {
  const { search, isComplete } = analyseCommand(input)
  if (search.commands.length > maxCommands) throw tooMany()
  const commands = search.commands.map(({ node, words }): WordTexts => {
    const read = (node?.redirects ?? []).flatMap((redirect) =>
      redirect.type === 'Redirect' && redirect.operator === '<' && redirect.target !== undefined
        ? [[redirect.target.value]]
        : [],
    )
    return [...words.map(textsOf), ...read]
  })
  const isKnown = isComplete && search.computed.length === 0
  const folders = foldersOf(input.cwd, commands)
  if (folders.length * new Set(commands.flat(2)).size > maxPlaces) throw tooMany()
  return { commands, folders, plain: isKnown && !writes(input) }
}

function tooMany(): ToolProblem {
  return new ToolProblem(
    `The command may name too many files for its approver: it can have at most ${maxCommands} simple commands and ${maxFolders} folders, and ${maxPlaces} places for files. Divide it into several calls.`,
  )
}

const changes = new Set(['cd', 'pushd'])
const folderOptions = new Set(['-C', '--directory', '--prefix', '--cwd'])

function foldersOf(cwd: string, commands: readonly WordTexts[]): readonly string[] {
  const folders = [cwd]
  const enter = (text: string): void => {
    if (text === '' || text.startsWith('-')) return
    for (const from of [cwd, folders.at(-1) ?? cwd]) {
      const at = path.isAbsolute(text)
        ? path.normalize(text)
        : path.normalize(path.join(from, text))
      const tidy = at.replace(/\/$/, '')
      if (folders.includes(tidy)) continue
      if (folders.length === maxFolders) throw tooMany()
      folders.push(tidy)
    }
  }
  for (const words of commands) {
    for (const [index, texts] of words.entries()) {
      const before = words[index - 1]?.[0] ?? ''
      const isEntered = (index === 1 && changes.has(before)) || folderOptions.has(before)
      if (isEntered) texts.forEach(enter)
    }
  }
  return folders
}

/** Whether it redirects into anything but another descriptor or `/dev/null`. */
function writes(input: CommandInput): boolean {
  if (input.kind === 'exec') return false
  return input.script.replace(/\d?>{1,2}\s*(?:&\d|\/dev\/null\b)/g, '').includes('>')
}
