import type { Command } from 'commander'
import { withExamples } from './examples.ts'
import { type FolderOptions, withFolders } from '../service/service-options.ts'

/** `countersign check`: every problem of a project folder, with file, line and correction. */
export function addCheckCommand(program: Command): void {
  const command = withFolders(program.command('check'))
    .description('validate countersign.yaml, the workers, their scripts and the tool files')
    .option('--json', 'print the problems as JSON')
    .action(async (options: FolderOptions & { json?: boolean }) => {
      const { runCheck } = await import('../check/check.ts')
      process.exitCode = await runCheck(options)
    })
  withExamples(command, ['check', 'check --project ../shop --json'])
}
