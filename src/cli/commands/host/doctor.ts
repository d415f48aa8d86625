import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { withFolders, type FolderOptions } from '../../service/service-options.ts'

/**
 * `countersign doctor`: what is wrong with this installation, and what to do. Exit code 1 when
 * something is.
 */
export function addDoctorCommand(program: Command): void {
  const command = withFolders(program.command('doctor'))
    .description('report what is wrong with this installation, and what to do')
    .option('--json', 'print the findings as JSON')
    .option(
      '--repair',
      'accept the present state of Postgres and Temporal, after one of them was emptied or restored',
    )
    .option(
      '--mail <address>',
      'also send a test mail to this address, with the settings of countersign.yaml',
    )
    .action(
      async (options: FolderOptions & { json?: boolean; repair?: boolean; mail?: string }) => {
        const { runDoctor } = await import('../../doctor/doctor.ts')
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
