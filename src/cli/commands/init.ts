import type { Command } from 'commander'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { withExamples } from './examples.ts'
import { type FolderOptions, withFolders } from '../service/service-options.ts'

/** `countersign init [DIR]`: a commented example of every file that a project has. */
export function addInitCommand(program: Command): void {
  const command = withFolders(program.command('init'))
    .description(
      'write countersign.yaml, a first worker and a first tool; changes no existing file',
    )
    .argument('[dir]', 'the project folder, as --project')
    .option('--workspace <dir>', 'the workspace of the workers, if it is not the project folder')
    .action(async (dir: string | undefined, options: FolderOptions & { workspace?: string }) => {
      const { project, workspace } = options
      if (dir !== undefined && project !== undefined) {
        throw new CommandFailure('Name the project folder once: DIR or --project', exitCodes.usage)
      }
      const { runInit } = await import('../init/init.ts')
      await runInit(dir ?? project ?? '.', workspace ?? null)
    })
  withExamples(command, ['init', 'init ../shop', 'init ../shop/countersign --workspace ../shop'])
}
