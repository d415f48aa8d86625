import { countWords } from '#domain/text/quantities/count-words.ts'
import { oneLine } from '#domain/text/one-line.ts'
import type { CommandInput } from '#domain/tools/command.ts'
import { analyseCommand } from '#policy/shell/analyse-command.ts'
import { shells } from '#policy/shell/programs/shells.ts'
import { headlineOf } from './headline-of-script.ts'

/**
 * The effect of a command as a sentence: the vector, or the commands of a script that matter most
 * (headline-of-script.ts) and the number of others.
 */
export function effectOfCommand(input: CommandInput): string {
  if (input.kind === 'shell') return effectOfScript(input)
  const script = scriptOf(input.argv)
  if (script !== null) return effectOfScript({ kind: 'shell', script, cwd: input.cwd })
  return `Run ${oneLine(input.argv.map(quotedWord).join(' '), 150)}`
}

function effectOfScript(input: CommandInput & { kind: 'shell' }): string {
  const { script } = input
  const headline = headlineOf(script, analyseCommand(input))
  if (headline === null) return `Run ${oneLine(script, 150)}`
  return headline.more === 0
    ? `Run ${headline.text}`
    : `Run ${headline.text} and ${headline.more} more`
}

/** The script of `sh -c SCRIPT`; `null` for every other vector. */
function scriptOf([program = '', ...args]: readonly string[]): string | null {
  if (!shells.has(program.split('/').at(-1) ?? '')) return null
  const index = args.findIndex((word) => !/^[-+]/.test(word) || /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word))
  const script = args[index + 1]
  return args[index]?.startsWith('-') ? (script ?? null) : null
}

/** The first meaningful line of a word with several, such as a Python program. */
function quotedWord(word: string): string {
  const lines = word.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1) return `'${lines[0]?.trim()}' (${countWords(lines.length, 'line')})`
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`
}
