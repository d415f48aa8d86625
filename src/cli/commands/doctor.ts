import type { Command } from 'commander'
import { withExamples } from './examples.ts'
import { withFolders } from './folder-options.ts'
import type { FolderOptions } from './folder-options.ts'

/** `countersign doctor`: what is wrong with this installation, and what to do. Exit code 1 when something is. */
export function addDoctorCommand(program: Command): void {
  const command = withFolders(program.command('doctor'))
    .description('what is wrong with this installation, and what to do')
    .option('--json', 'print the findings as JSON')
    .option(
      '--repair',
      'accept Postgres and Temporal as they are, after one of them was emptied or restored',
    )
    .action(async (options: FolderOptions & { json?: boolean; repair?: boolean }) => {
      const { runDoctor } = await import('../doctor.ts')
      process.exitCode = await runDoctor(options)
    })
  withExamples(command, ['doctor', 'doctor --json', 'doctor --repair'])
}
