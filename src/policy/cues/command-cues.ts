import { oneLine } from '#domain/text/one-line.ts'
import { domainsText } from '#domain/network/network-access.ts'
import { cueLimits, notExamined, type CueSource } from '#domain/policy/cues.ts'
import type { CommandAnalysis } from '../shell/analyse-command.ts'
import { commandsOf, type CommandOfText } from './programs/commands-of.ts'
import { pathCues } from './text/path-cues.ts'
import { deletionOf, isBuildOutput } from './programs/deletion.ts'
import { downloadedRuns } from './programs/downloads.ts'
import { hasLetter, operandsOf, type CueMatch } from './programs/command-words.ts'
import { networkHits } from './programs/network.ts'
import { protectionHits } from './programs/protection.ts'
import { purposeHits } from './programs/purposes.ts'
import { destructiveSql } from './text/sql-cues.ts'
import { lineAt, secretCues } from './text/text-cues.ts'
import { wordSet } from '#domain/text/word-set.ts'

/** The host's facts about a command that its text does not contain. */
export interface CommandSurroundings {
  /** the sandbox works, and has no network */
  readonly isOffline: boolean
  /** the only domains that the sandbox can reach; `null`: it has no such list */
  readonly domains: readonly string[] | null
  /** relative to the workspace root; `null`: unknown */
  isTracked(path: string, cwd: string): Promise<boolean>
}

/**
 * The cues of a command, from its syntax tree (workers-and-policy.md, shell rules). It
 * over-reports; pure except for the question to Git.
 */
export async function commandCues(
  analysis: CommandAnalysis,
  around: CommandSurroundings,
): Promise<readonly CueSource[]> {
  const { input } = analysis
  const { commands, areAll } = commandsOf(analysis)
  const cues: CueSource[] = []
  const add = (command: CommandOfText, [id, what, reach]: CueMatch): void => {
    const earlier = cues.findIndex((one) => one.id === id && one.line === command.line)
    // Checked before the text is made: else a command's text is joined for each of its operands.
    if (earlier >= 0 && (reach !== undefined || cues[earlier]?.onlyReaches !== true)) return
    const text = oneLine(`${what}: ${commandText(command)}`, cueLimits.text)
    const cue = { id, text, line: command.line }
    if (earlier < 0) cues.push(reach === undefined ? cue : { ...cue, onlyReaches: true })
    // A cue that a line opens something replaces one that it only reaches the network.
    else cues[earlier] = cue
  }
  for (const { command, what } of downloadedRuns(commands))
    add(command, ['downloads_and_runs', what])
  for (const command of commands) {
    const deletes = await lossText(command, input.cwd, around)
    if (deletes !== null) add(command, ['deletes_untracked', deletes])
    for (const hit of protectionHits(command)) add(command, hit)
    const reaches = networkHits(command)
    for (const [id, what, reach] of reaches) {
      add(command, [id, `${what}${limitedTo(around.domains)}`, reach])
    }
    if (reaches.length > 0 && around.isOffline) {
      add(command, ['network_missing', 'Needs the network, which the sandbox does not have'])
    }
    for (const hit of purposeHits(command)) add(command, hit)
    for (const path of changedPaths(command)) {
      for (const { id, text } of pathCues(path)) add(command, [id, text.split(':', 1)[0] ?? ''])
    }
    for (const { id, text } of sqlOf(command)) add(command, [id, text.split(':', 1)[0] ?? ''])
  }
  const text = input.kind === 'shell' ? input.script : input.argv.join('\n')
  for (const { name, path, leadsOut } of analysis.links) {
    if (!leadsOut) continue
    const what = `${name} is a link that leads out of the workspace: ${path}`
    const line = lineAt(text, Math.max(text.indexOf(name), 0))
    cues.push({ id: 'linked_program', text: oneLine(what, cueLimits.text), line })
  }
  // A deletion that was understood is not named again for the same line.
  const unread = unreadCues(analysis, areAll).filter(
    ({ id, line }) => !cues.some((cue) => cue.id === id && cue.line === line),
  )
  return [
    ...cues,
    ...secretCues(text).map(({ id, text: what, line = 1 }) => ({ id, text: what, line })),
    ...unread,
  ]
}

/** Cards show the sandbox and at most this many domains. */
const shownDomains = 3

function limitedTo(domains: readonly string[] | null): string {
  if (domains === null) return ''
  const more = domains.length - shownDomains
  const names = more <= 0 ? domains : [...domains.slice(0, shownDomains), `${more} more`]
  return `, of which its sandbox lets it reach only ${domainsText(names)}`
}

/** A text that was not understood may contain a match: its words are read as they are. */
function unreadCues(
  { input, search, isComplete }: CommandAnalysis,
  areAll: boolean,
): readonly CueSource[] {
  const isPartial = !areAll || search.isTooDeep || search.isTooMuch || search.isPartial
  if (isComplete && !isPartial) return []
  const rest = isPartial ? [notExamined] : []
  const text = input.kind === 'shell' ? input.script : input.argv.join('\n')
  const at = text.search(/\b(?:rm|shred|mkfs|rimraf)\b/)
  if (at < 0) return rest
  const what = 'Cannot be read as a whole, and names a program that deletes'
  return [...rest, { id: 'deletes_untracked', text: what, line: lineAt(text, at) }]
}

async function lossText(
  command: CommandOfText,
  cwd: string,
  around: CommandSurroundings,
): Promise<string | null> {
  const deletion = deletionOf(command)
  if (deletion === null) return null
  if (deletion.beyond !== null) return deletion.beyond
  for (const path of deletion.paths.slice(0, maxPaths)) {
    if (isBuildOutput(path)) continue
    const isUnclear = /[?*$~{]/.test(path)
    if (isUnclear || !(await around.isTracked(path, cwd))) return 'Deletes what Git does not have'
  }
  return deletion.paths.length > maxPaths ? 'Deletes many files' : null
}

const maxPaths = 64

/** Over the 256 arguments that a vector may have. */
const maxOperands = 512

const writers = wordSet(`
  rm mv cp tee sed install ln chmod chown truncate touch dd patch unlink perl`)

/** Paths that a command may change, as it spells them. */
function changedPaths(command: CommandOfText): readonly string[] {
  const { program, args, writes } = command
  const edits =
    program !== 'sed' && program !== 'perl' ? writers.has(program) : hasLetter(args, 'i')
  const words = operandsOf(command)
  const operands = edits ? words.slice(0, maxOperands) : []
  const [first = ''] = words
  const byGit = program === 'git' && /^(?:rm|mv|checkout|restore|apply)$/.test(first)
  return [...writes, ...operands, ...(byGit ? words.slice(1, maxOperands) : [])].filter(
    (path) => path !== '/dev/null' && path.length <= 1024,
  )
}

const clientsOfDatabases = wordSet('psql mysql mariadb sqlite3 sqlcmd duckdb clickhouse-client bq')

/** The cues of SQL that a command would carry out. */
export function sqlOf({ program, args }: CommandOfText): readonly CueSource[] {
  const runs =
    clientsOfDatabases.has(program) || args.some((word) => /^(?:psql|mysql|sqlite3)$/.test(word))
  const texts = runs ? args : args.filter((word) => word.includes(' '))
  return texts.flatMap((word) => (isSearch(program) ? [] : destructiveSql(word)))
}

/** A pattern that is searched for, printed or written to a file is not carried out. */
function isSearch(program: string): boolean {
  return /^(?:grep|rg|ag|echo|printf|git|gh|awk|sed|ls|find)$/.test(program)
}

function commandText({ program, args }: CommandOfText): string {
  return oneLine([program, ...args].join(' '), cueLimits.text - 60)
}
