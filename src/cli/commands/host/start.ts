import { InvalidArgumentError, type Command } from 'commander'
import type { StartOptions } from '#runtime/supervisor/start.ts'
import { withExamples } from '../examples.ts'
import { withFolders } from '../../service/service-options.ts'

/** `countersign start`: everything, embedded. */
export function addStartCommand(program: Command): void {
  const command = withFolders(program.command('start'))
    .description(
      'run all parts: Postgres, Temporal, the API with the dashboard, and a Temporal worker',
    )
    .option('--port <number>', 'the port of the dashboard and the API (default: 4400)', readPort)
    .option('--no-open', 'do not open a browser')
    .action(async (options: StartOptions) => {
      const { runStart } = await import('../../start/start.ts')
      await runStart(options)
    })
  withExamples(command, ['start', 'start --project ../shop --port 4500 --no-open'])
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('a port is a number from 0 (any) to 65535.')
}
