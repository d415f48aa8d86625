import type { Command } from 'commander'
import { createProgram } from '#cli/program.ts'

/**
 * Parses a line as the real program would, without doing anything. Answers what is wrong with it,
 * or `null`.
 */
export async function problemOfCommand(line: string): Promise<string | null> {
  const program = createProgram()
  let reached = false
  disarm(program, () => (reached = true))
  try {
    await program.parseAsync(splitWords(line).slice(1), { from: 'user' })
  } catch (error) {
    return `${line}: ${String(error)}`
  }
  return reached ? null : `${line}: names no command`
}

/** Every command of the program, with its path, such as `requests show`. */
export function commandsOf(program: Command, above = ''): { path: string; command: Command }[] {
  return program.commands.flatMap((command) => {
    const path = `${above} ${command.name()}`.trim()
    return [{ path, command }, ...commandsOf(command, path)]
  })
}

function disarm(command: Command, reached: () => void): void {
  command.exitOverride().configureOutput({ writeOut() {}, writeErr() {} })
  // A group does nothing by itself, and has no options.
  const isGroup = command.commands.length > 0 && command.options.length === 0
  if (!isGroup && command.parent !== null) command.action(reached)
  for (const below of command.commands) disarm(below, reached)
}

const word = /"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>[^']*)'|(?<plain>[^\s"']+)/g

/**
 * Words of a command line in a document, quotes taken off. What a shell would substitute stays as
 * it is written.
 */
function splitWords(line: string): string[] {
  return [...line.matchAll(word)].map(
    ({ groups }) => groups?.['double'] ?? groups?.['single'] ?? groups?.['plain'] ?? '',
  )
}
