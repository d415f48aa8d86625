import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { withFolders, type FolderOptions } from '../../service/service-options.ts'

/** The server processes, for `start` and for people who run them one by one. */
export function addProcessCommands(program: Command): void {
  const api = withFolders(program.command('api'))
    .description('run the HTTP API with the dashboard')
    .action(async (options: FolderOptions) => {
      const { runApi } = await import('#runtime/api/run-api.ts')
      await runApi(options)
    })
  withExamples(api, ['api --project /project --data /data'])
  const worker = withFolders(program.command('temporal-worker'))
    .description('run a Temporal worker')
    .action(async (options: FolderOptions) => {
      const { runTemporalWorker } = await import('#runtime/temporal/run-temporal-worker.ts')
      await runTemporalWorker(options)
    })
  withExamples(worker, ['temporal-worker --project /project --data /data'])
  const migrate = withFolders(program.command('migrate'))
    .description('migrate the database to the schema of this version')
    .action(async (options: FolderOptions) => {
      const { runMigrate } = await import('#runtime/schema/run-migrate.ts')
      await runMigrate(options)
    })
  withExamples(migrate, ['migrate'])
}
