import { words as splitWords } from '../../names/words.ts'
import { programNames } from '../programs/program-names.ts'
import { programNamed } from '../programs/registry.ts'
import { programName } from '../spelling/spelling.ts'
import type { KnownPart, KnownWord } from '../strict/expand-word.ts'

/** Programs that read commands from their input, whatever their arguments. */
const takesCommands: ReadonlySet<string> = new Set(
  splitWords(`
    psql mysql sqlite3 gnuplot dc bc m4 ed ex vim nvim emacs gdb at batch script screen tmux ssh
    expect`),
)

const inputFiles: readonly string[] = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']

/**
 * The first command of a script that may run text which another one pipes into it: no rule can
 * spell out a pipe. `null`: there is none.
 */
export function pipedIntoRunner(parts: readonly KnownPart[]): string | null {
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1]
    const isPiped = before?.kind === 'text' && before.text.trim() === '|'
    if (part.kind !== 'command' || !isPiped || !runsInput(part.words)) continue
    return part.words[0]?.text ?? ''
  }
  return null
}

/** An unknown program may do anything with its input. */
function runsInput(words: readonly KnownWord[]): boolean {
  const [first] = words
  if (first === undefined) return false
  const name = programName(first.text)
  const program = programNamed(name)
  if (program === undefined) return true
  if (programNames(name.toLowerCase()).some((one) => takesCommands.has(one))) return true
  if (program.runs === 'command') {
    return words.some((word, at) => at > 0 && isRunner(word) && runsInput(words.slice(at)))
  }
  if (program.runs === undefined || program.spellOut !== 'all') return false
  const operands = words.slice(1).filter(({ text }) => text === '-' || !text.startsWith('-'))
  return operands.length === 0 || operands.some(({ text }) => inputFiles.includes(text))
}

function isRunner({ text }: KnownWord): boolean {
  return programNamed(programName(text))?.runs !== undefined
}
