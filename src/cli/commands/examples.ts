import type { Command } from 'commander'

/** The id of a run in examples. */
export const runExample = '01a200d3-152e-74af-bb62-a47792619cda'

/**
 * Examples at the end of a command's help. Each line is a whole command that parses, which a test
 * checks.
 */
export function withExamples(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  countersign ${example}`)
  return command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'))
}
