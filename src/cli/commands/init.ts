import type { Command } from 'commander'
import { withExamples } from './examples.ts'

/** `countersign init [DIR]`: a commented example of every file that a project has. */
export function addInitCommand(program: Command): void {
  const command = program
    .command('init')
    .description(
      'write countersign.yaml, a worker and a tool to begin with; changes no file that is there',
    )
    .argument('[dir]', 'the project folder', '.')
    .action(async (dir: string) => {
      const { runInit } = await import('../init.ts')
      await runInit(dir)
    })
  withExamples(command, ['init', 'init ../shop'])
}
