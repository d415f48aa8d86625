import { countWords } from '#domain/text/counted.ts'
import { oneLine } from '#domain/text/one-line.ts'
import type { CommandInput } from '#domain/tools/command.ts'
import { analyseCommand } from '#policy/shell/analyse-command.ts'

/** Commands that only prepare others, and are left out of the sentence. */
const preparing = new Set([
  'cd',
  'set',
  'export',
  'echo',
  'printf',
  'true',
  ':',
  'pwd',
  'source',
  '.',
  'pushd',
  'popd',
  'unset',
  'local',
  'declare',
  'umask',
  'shopt',
  'trap',
  'sleep',
])

/**
 * The effect of a command as a sentence: the vector, or the first meaningful command of a script
 * and the number of others.
 */
export function effectOfCommand(input: CommandInput): string {
  if (input.kind === 'shell') return effectOfScript(input)
  const script = scriptOf(input.argv)
  if (script !== null) return effectOfScript({ kind: 'shell', script, cwd: input.cwd })
  return `Run ${oneLine(input.argv.map(quotedWord).join(' '), 150)}`
}

function effectOfScript(input: CommandInput & { kind: 'shell' }): string {
  const { script } = input
  const nodes = analyseCommand(input)
    .search.commands.flatMap(({ node }) => (node === null ? [] : [node]))
    .toSorted((one, other) => one.pos - other.pos)
  const meaningful = nodes.find(({ name }) => name !== undefined && !preparing.has(name.value))
  const first = meaningful ?? nodes[0]
  if (first === undefined) return `Run ${oneLine(script, 150)}`
  const outer = nodes.filter(({ pos }) => pos < first.pos || pos >= first.end)
  const sentence = `Run ${oneLine(script.slice(first.pos, first.end), 130)}`
  return outer.length === 0 ? sentence : `${sentence} and ${outer.length} more`
}

/** The script of `sh -c SCRIPT`; `null` for every other vector. */
function scriptOf([program = '', ...args]: readonly string[]): string | null {
  if (!shells.has(program.split('/').at(-1) ?? '')) return null
  const place = args.findIndex((word) => !/^[-+]/.test(word) || /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word))
  const script = args[place + 1]
  return args[place]?.startsWith('-') ? (script ?? null) : null
}

const shells = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh'])

/** The first meaningful line of a word with several, such as a Python program. */
function quotedWord(word: string): string {
  const lines = word.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1) return `'${lines[0]?.trim()}' (${countWords(lines.length, 'line')})`
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`
}
