import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { StartedRunView } from '../../api/schemas/runs.ts'
import { exitCodes } from '../exit-codes.ts'
import { watchRun } from '../decide/watch-run.ts'
import { connect } from '../service/connect.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'

interface RunOptions extends ServiceOptions {
  mode?: string
  attach?: string[]
  watch?: boolean
  json?: boolean
}

/** `countersign run WORKER INPUT`: starts a run, and with `--watch` follows it and decides in place. */
export function addRunCommand(program: Command): void {
  withService(program.command('run'))
    .description('start a run of a worker')
    .argument('<worker>', 'the name of a file in workers/')
    .argument('<input>', 'what it is asked to do: text, or a JSON object')
    .option('--mode <mode>', 'prompt (default), strict or approve_all')
    .option('--attach <file...>', 'paths in the workspace to attach')
    .option('--watch', 'follow the run; decide in place when you may')
    .option('--json', 'print the started run as JSON')
    .action(async (worker: string, input: string, options: RunOptions) => {
      const service = await connect(options)
      const run = await service.post<StartedRunView>(
        '/v1/runs',
        {
          worker,
          input: readInput(input),
          ...(options.mode === undefined ? {} : { mode: options.mode }),
          ...(options.attach === undefined ? {} : { attachments: options.attach }),
        },
        { 'idempotency-key': randomUUID() },
      )
      if (options.json === true) console.log(JSON.stringify(run))
      else
        console.log(
          `run ${run.id} of ${run.worker}, mode ${run.mode}\n${service.url}/runs/${run.id}`,
        )
      process.exitCode = options.watch === true ? await watchRun(service, run.id) : exitCodes.done
    })
}

/** A JSON object when the text is one; text otherwise. */
function readInput(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : text
  } catch {
    return text
  }
}
