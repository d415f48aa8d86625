import { oneLine } from '#domain/text/one-line.ts'
import type { CommandInput } from '#domain/tools/command.ts'
import { analyseCommand } from '#policy/shell/analyse-command.ts'

/** What prepares others: no stranger asks what `cd` does. */
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
 * What a command runs, as a sentence: the vector, or of a script its first meaningful command and
 * how many more there are.
 */
export function effectOfCommand(input: CommandInput): string {
  if (input.kind === 'exec') return `Run ${oneLine(input.argv.map(quoted).join(' '), 150)}`
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

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`
}
