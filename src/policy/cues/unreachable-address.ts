import { permitsHost } from '#domain/network/network-access.ts'
import type { CommandAnalysis } from '../shell/analyse-command.ts'
import { commandsOf, type CommandOfText } from './programs/commands-of.ts'
import { hasOption, operandsOf } from './programs/command-words.ts'
import { wordSet } from '#domain/text/word-set.ts'

/**
 * The address in a command that its sandbox certainly cannot reach, so that the command cannot
 * succeed (workers-and-policy.md, shell rules); `null` when it is not certain. `network`: `none`,
 * or the only domains that it reaches. It under-reports: nobody could allow a call that is refused
 * for this.
 */
export function unreachableAddress(
  analysis: CommandAnalysis,
  network: 'none' | readonly string[],
): string | null {
  if (!hasNoAlternative(analysis)) return null
  const { commands } = commandsOf(analysis)
  const own =
    analysis.input.kind === 'exec'
      ? commands.slice(0, 1).filter(({ program }) => isPlain(analysis, program))
      : commands.filter(({ program, source }) => isProgram(source.split(' ', 1)[0], program))
  // A shell succeeds when the last command of a pipe does, whatever the others do.
  for (const command of own.filter(({ isOpen, isPiped }) => !isOpen && !isPiped)) {
    const addresses = addressesOf(command)
    const [first] = addresses
    const closed = addresses.every((address) => network === 'none' || !isListed(address, network))
    if (first !== undefined && closed) return first
  }
  return null
}

/** Whether only `&&` and `|` join its commands: none runs instead of one that fails. */
function hasNoAlternative({ input, search, isComplete }: CommandAnalysis): boolean {
  if (!isComplete || search.isTooDeep || search.isTooMuch) return false
  if (input.kind === 'exec') return true
  const rest = input.script.replaceAll(/&&|\d?>&\d/g, ' ')
  return !/\|\||[;\n&(){}`!]/.test(rest)
}

function isPlain({ input }: CommandAnalysis, program: string): boolean {
  return input.kind === 'exec' && isProgram(input.argv[0], program)
}

/** The system's program of that name, and not a file of the project. */
function isProgram(word: string | undefined, program: string): boolean {
  return word === program || word === `/usr/bin/${program}` || word === `/bin/${program}`
}

const fetchers = wordSet('curl wget')
/** With these options a fetcher may need no network, or another address. */
const fetcherOptions = [
  '--help',
  '--version',
  '--config',
  '--proxy',
  '--preproxy',
  '--unix-socket',
  '--abstract-unix-socket',
  '--resolve',
  '--connect-to',
  '--input-file',
  '-h',
  '-V',
  '-K',
  '-x',
  '-i',
]
/** Options of a fetcher whose value is the next word. */
const valueOption =
  /^(?:-[A-Za-z]*[AFHOPTXbcdeomuw]|--(?:output(?:-document)?|data(?:-\w+)?|header|request|user(?:-agent)?|form|upload-file|write-out|max-time|connect-timeout|retry|cookie|referer|post-(?:data|file)))$/

const gitWords = wordSet('clone fetch pull push ls-remote')

/** `scheme://host…` of another host, or `user@host:path`. */
const elsewhere =
  /^(?:(?:https?|ftp|ssh|git):\/\/(?:[^/@]*@)?|[\w.-]{1,64}@)(?!localhost\b|127\.|0\.0\.0\.0|\[)[\w.-]+(?:[:/]|$)/i

/** The addresses elsewhere that a command must reach; none where that is not certain. */
function addressesOf(command: CommandOfText): readonly string[] {
  const { program, args } = command
  const operands = operandsOf(command)
  if (program === 'git') {
    const [word = '', ...rest] = operands
    const isPlainCall = args[0] === word && gitWords.has(word) && !hasOption(args, '-h', '--help')
    return isPlainCall ? rest.filter((one) => elsewhere.test(one)) : []
  }
  if (!fetchers.has(program) || hasOption(args, ...fetcherOptions)) return []
  const urls = operands.filter((one) => one.includes('://'))
  // Any other word that is no value is an address as well, and the last one decides.
  const isValue = (word: string): boolean => valueOption.test(args[args.indexOf(word) - 1] ?? '')
  if (!operands.every((one) => urls.includes(one) || isValue(one))) return []
  return urls.every((one) => elsewhere.test(one)) ? urls : []
}

/** Whether the proxy of a list of domains might permit an address. */
function isListed(address: string, domains: readonly string[]): boolean {
  const url = /^https?:/i.test(address) ? URL.parse(address) : null
  if (url === null) return false
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return permitsHost(domains, url.hostname.replace(/\.$/, ''), port) === 'yes'
}
