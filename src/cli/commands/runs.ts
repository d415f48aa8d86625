import type { Command } from 'commander'
import type { CancelledRun, PostedMessage, RunDetail, RunList } from '../../api/schemas/runs.ts'
import type { Transcript } from '../../api/schemas/transcript.ts'
import { watchRun } from '../decide/watch-run.ts'
import { connect } from '../service/connect.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { query } from '../service/query.ts'
import { table } from '../text/table.ts'
import { printable } from '../text/terminal-text.ts'
import { fromNow } from '../text/times.ts'
import { TranscriptPrinter } from '../text/transcript-text.ts'

interface ListOptions extends ServiceOptions {
  state?: string
  worker?: string
  limit?: string
  json?: boolean
}

/** `countersign runs [ls|show|watch|cancel|message]`. */
export function addRunsCommand(program: Command): void {
  const runs = program.command('runs').description('list and steer runs')
  withService(runs.command('ls', { isDefault: true }))
    .description('list runs, newest first')
    .option('--state <state>', 'only runs in this state')
    .option('--worker <name>', 'only runs of this worker')
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print JSON')
    .action(listRuns)
  withService(runs.command('show'))
    .description('a run with its transcript')
    .argument('<run>', 'its id')
    .option('--json', 'print JSON')
    .action(showRun)
  withService(runs.command('watch'))
    .description('follow a run; decide in place when you may')
    .argument('<run>', 'its id')
    .action(async (id: string, options: ServiceOptions) => {
      process.exitCode = await watchRun(await connect(options), id)
    })
  withService(runs.command('cancel'))
    .description('cancel a run and everything below it')
    .argument('<run>', 'its id')
    .option('-m, --message <reason>', 'why')
    .action(async (id: string, options: ServiceOptions & { message?: string }) => {
      const service = await connect(options)
      const body = options.message === undefined ? {} : { reason: options.message }
      const cancelled = await service.post<CancelledRun>(`/v1/runs/${id}/cancel`, body)
      console.log(`run ${cancelled.id} is ${cancelled.state}`)
    })
  withService(runs.command('message'))
    .description('say something to a run; a run that waits for input goes on')
    .argument('<run>', 'its id')
    .argument('<text>', 'what to say')
    .action(async (id: string, text: string, options: ServiceOptions) => {
      const service = await connect(options)
      await service.post<PostedMessage>(`/v1/runs/${id}/messages`, { text })
      console.log('Posted. The next turn of the run reads it.')
    })
}

async function listRuns(options: ListOptions): Promise<void> {
  const service = await connect(options)
  const { state, worker, limit } = options
  const list = await service.get<RunList>(`/v1/runs${query({ state, worker, limit })}`)
  if (options.json === true) return console.log(JSON.stringify(list))
  console.log(
    table(
      ['id', 'worker', 'state', 'started by', 'age', 'waiting'],
      list.items.map((run) => [
        run.id,
        run.worker + (run.scripted ? ' (scripted)' : ''),
        run.state,
        run.startedBy.name,
        fromNow(run.createdAt),
        run.pendingRequests > 0 ? `${run.pendingRequests}` : '',
      ]),
      'No runs. Start one with: countersign run WORKER INPUT',
    ),
  )
}

async function showRun(id: string, options: ServiceOptions & { json?: boolean }): Promise<void> {
  const service = await connect(options)
  const run = await service.get<RunDetail>(`/v1/runs/${id}`)
  const transcript = await service.get<Transcript>(`/v1/runs/${id}/transcript`)
  if (options.json === true)
    return console.log(JSON.stringify({ ...run, transcript: transcript.items }))
  const above = run.lineage.map((entry) => entry.worker).join(' › ')
  console.log(
    [
      `run ${run.id}  ${run.state}${run.failure === undefined ? '' : `: ${printable(run.failure.message)}`}`,
      `${above}, mode ${run.mode}, started by ${printable(run.startedBy.name)} ${fromNow(run.createdAt)}`,
      `${service.url}/runs/${run.id}`,
      '',
      ...new TranscriptPrinter().next(transcript),
      ...(run.output === undefined ? [] : ['', printable(run.output)]),
    ].join('\n'),
  )
}
