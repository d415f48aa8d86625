import { programNames } from '../../shell/programs/program-names.ts'
import { shells } from '../../shell/programs/shells.ts'
import type { CommandOfText } from './commands-of.ts'
import { wordSet } from '#domain/text/word-set.ts'
import { operandsOf } from './command-words.ts'
import { downloadsPackage, fetchers } from './network.ts'

const scriptShells = new Set([...shells, 'fish'])
const interpreters = wordSet('python python3 node perl ruby php deno bun osascript')
const evaluators = wordSet('eval source .')

/** The commands of a text that run something it downloads, with a phrase for each. */
export function downloadedRuns(
  commands: readonly CommandOfText[],
): readonly { readonly command: CommandOfText; readonly what: string }[] {
  const fetching = commands.filter(({ program }) => fetchers.has(program))
  const files = new Set(fetching.flatMap(fetchedFiles))
  return commands.flatMap((command) => {
    const what = whyRuns(command, fetching, files)
    return what === null ? [] : [{ command, what }]
  })
}

function whyRuns(
  command: CommandOfText,
  fetching: readonly CommandOfText[],
  files: ReadonlySet<string>,
): string | null {
  const { program, args, source } = command
  if (runsPackage(command)) return 'Downloads a package and runs it'
  if (fetching.length === 0) return null
  // `python3.12` is `python3`.
  const runs = programNames(program).some(
    (name) => scriptShells.has(name) || interpreters.has(name),
  )
  const operands = operandsOf(command)
  if (runs && readsInput(command)) return 'Runs what it downloads'
  const substitutes = /\$\(|`|<\(/.test(source) && namesFetcher(source)
  if ((runs || evaluators.has(program)) && substitutes) return 'Runs what it downloads'
  const isFetched = (path: string): boolean => files.has(baseOf(path))
  if (runs || evaluators.has(program))
    return operands.some(isFetched) ? 'Runs what it downloads' : null
  if (program === 'chmod' && args.some((word) => /\+x|^0?[75]/.test(word))) {
    return operands.some(isFetched) ? 'Makes what it downloads a program' : null
  }
  return files.has(program) ? 'Runs what it downloads' : null
}

/** A shell or language that is given no script reads one from its input. */
function readsInput(command: CommandOfText): boolean {
  const { program, args } = command
  const operands = operandsOf(command)
  if (args.includes('-') || args.includes('-s')) return true
  const hasCode = args.some((word) => /^-{1,2}(?:c|e|m|p|eval|print|version|help)\b/.test(word))
  if (hasCode || args.some((word) => /^-[a-z]*[cemn]/.test(word))) return false
  return operands.length === 0 && (scriptShells.has(program) || args.length === 0)
}

function namesFetcher(source: string): boolean {
  return source.split(/[^A-Za-z0-9-]+/).some((word) => fetchers.has(word))
}

/** Names of the files that a download is written to. */
function fetchedFiles(command: CommandOfText): readonly string[] {
  const { program, args, writes } = command
  const named = args.flatMap((word, at) => {
    if (/^(?:-o|--output|--output-document|-O)$/.test(word)) return [args[at + 1] ?? '']
    const [, glued = ''] = /^(?:-o|-O|--output=|--output-document=)(.+)$/.exec(word) ?? []
    return glued === '' ? [] : [glued]
  })
  const keeps =
    program === 'wget' ||
    args.includes('-O') ||
    args.includes('--remote-name') ||
    args.some((word) => /^-[A-Za-z]*O$/.test(word))
  const addresses = keeps ? operandsOf(command).map((word) => word.split(/[?#]/, 1)[0] ?? word) : []
  return [...named, ...writes, ...addresses]
    .map(baseOf)
    .filter((name) => name !== '' && name !== '-')
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase()
}

function runsPackage(command: CommandOfText): boolean {
  const { program } = command
  const operands = operandsOf(command)
  const [first = '', second = ''] = operands
  if (program === 'npx' || program === 'bunx') return downloadsPackage(command)
  if (program === 'uvx' || (program === 'pipx' && first === 'run')) return true
  if ((program === 'pnpm' || program === 'yarn') && first === 'dlx') return true
  if (program === 'go' && first === 'run') return second.includes('@')
  if (program === 'deno' && first === 'run') return /^https?:/.test(second)
  const installs =
    /^(?:npm|pnpm|yarn|bun|pip|pip3|uv|cargo|gem)$/.test(program) &&
    /^(?:install|i|add)$/.test(first)
  const fromAddress = (word: string): boolean => /^(?:git\+|https?:|git:|ssh:|github:)/.test(word)
  return installs && operands.slice(1).some(fromAddress)
}
