import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { parse } from 'unbash'
import type { CommandInput } from '#domain/tools/command.ts'
import {
  possibleCommands,
  possibleCommandsOf,
  type LinkedNames,
  type Search,
} from './search/possible-commands.ts'
import { Budget, maxSteps } from './spelling/budget.ts'
import { type KnownPart, literalWord } from './strict/expand-word.ts'
import { readStrictScript } from './strict/read-strict-script.ts'
import { hasOddCharacters, shellLimits, textDoubts } from './text/odd-text.ts'

/**
 * Two readings of a command tool's input: the strict one has what is certain, the wide one
 * everything that it could mean.
 */
export interface CommandAnalysis {
  readonly input: CommandInput
  /** the wide reading, for asks and blocks */
  readonly search: Search
  /** the strict reading, for pre-approval and its execution */
  readonly parts: readonly KnownPart[]
  /** why it cannot be pre-approved, one sentence each; empty when all of it is understood */
  readonly doubts: readonly string[]
  /** the search found every command, understood or not */
  readonly isComplete: boolean
  /** where links of the host were followed: the names in it that lead to another program */
  readonly links: readonly ProgramLink[]
}

/** A name in a command that leads to a program of another name (linked-programs.ts). */
export interface ProgramLink {
  readonly name: string
  readonly program: string
  /** the real path of the program */
  readonly path: string
  /** the name is in the workspace, and the path is not */
  readonly leadsOut: boolean
}

/** Analyses a command. Pure; never throws for a model's text. */
export function analyseCommand(input: CommandInput): CommandAnalysis {
  return input.kind === 'exec' ? analyseVector(input) : analyseScript(input)
}

/** The wide reading of an input, in which each of these names is also the program of its link. */
export function readWithLinks(input: CommandInput, links: LinkedNames): Search {
  return input.kind === 'exec'
    ? possibleCommandsOf(input.argv, links)
    : possibleCommands(input.script, null, new Budget(maxSteps.reading), links)
}

function analyseVector(input: CommandInput & { kind: 'exec' }): CommandAnalysis {
  const { argv } = input
  const doubts: string[] = []
  if (argv.some(hasOddCharacters)) doubts.push('it holds control or invisible characters')
  const bytes = argv.reduce((sum, word) => sum + Buffer.byteLength(word), 0)
  if (argv.length > shellLimits.arguments + 1) {
    doubts.push(`it has more than ${shellLimits.arguments} arguments`)
  }
  if (bytes > shellLimits.argumentBytes) {
    doubts.push(`its arguments have more than ${binarySize(shellLimits.argumentBytes)}`)
  }
  const command = {
    kind: 'command' as const,
    node: null,
    words: argv.map(literalWord),
    redirects: [],
  }
  const search = possibleCommandsOf(argv)
  return { input, search, parts: [command], doubts, isComplete: true, links: [] }
}

function analyseScript(input: CommandInput & { kind: 'shell' }): CommandAnalysis {
  const { script } = input
  const doubts = textDoubts(script)
  if (Buffer.byteLength(script) > shellLimits.parsedBytes) {
    const search = possibleCommands(script, null)
    return { input, search, parts: [], doubts, isComplete: false, links: [] }
  }
  const root = parse(script)
  const search = possibleCommands(script, root)
  const tables = readStrictScript(root, script)
  const count = search.commands.filter((command) => command.node !== null).length
  const tooManyCommands =
    count > shellLimits.commands
      ? [`it has ${count} commands, more than ${shellLimits.commands}`]
      : []
  const isComplete = root.errors === undefined || root.errors.length === 0
  const allDoubts = [...doubts, ...tooManyCommands, ...tables.doubts]
  return { input, search, parts: tables.parts, doubts: allDoubts, isComplete, links: [] }
}
