import type { Command } from 'commander'
import { withExamples } from './examples.ts'
import { withFolders, type FolderOptions } from '../service/service-options.ts'

/**
 * `countersign doctor`: what is wrong with this installation, and what to do. Exit code 1 when
 * something is.
 */
export function addDoctorCommand(program: Command): void {
  const command = withFolders(program.command('doctor'))
    .description('what is wrong with this installation, and what to do')
    .option('--json', 'print the findings as JSON')
    .option(
      '--repair',
      'accept Postgres and Temporal as they are, after one of them was emptied or restored',
    )
    .option('--mail <address>', 'also send a test mail there, as countersign.yaml says')
    .action(
      async (options: FolderOptions & { json?: boolean; repair?: boolean; mail?: string }) => {
        const { runDoctor } = await import('../doctor/doctor.ts')
        process.exitCode = await runDoctor(options)
      },
    )
  withExamples(command, [
    'doctor',
    'doctor --json',
    'doctor --repair',
    'doctor --mail ada@example.com',
  ])
}
