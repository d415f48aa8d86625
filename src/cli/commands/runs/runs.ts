import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { runStates } from '#domain/requests/request.ts'
import { converse } from '../../converse/converse.ts'
import { watchCodes, watchRun } from '../../decide/watch-run.ts'
import { connect } from '../../service/connect.ts'
import {
  addList,
  type ServiceOptions,
  withPaging,
  withService,
  type JsonOptions,
} from '../../service/service-options.ts'
import { isInteractive } from '../../terminal/interactive.ts'
import { runExample, withExamples } from '../examples.ts'
import { runArgument } from '../option-values.ts'
import { addCall, addFork, addMessage } from './continue-run.ts'
import { listRuns, showRun } from './show-runs.ts'
import { jsonText } from '../../terminal/json-text.ts'

/** `countersign runs [ls|show|watch|attach|message|fork|close|discard|cancel|call]`. */
export function addRunsCommand(program: Command): void {
  const runs = program.command('runs').description('list, show and control runs')
  addListing(runs)
  addShow(runs)
  addWatch(runs)
  addAttach(runs)
  addCancel(runs)
  addMessage(runs)
  addFork(runs)
  addClose(runs)
  addDiscard(runs)
  addCall(runs)
}

function addListing(runs: Command): void {
  const ls = withPaging(addList(runs))
    .description('list runs, newest first')
    .addOption(new Option('--state <state>', 'only runs in this state').choices(runStates))
    .option('--worker <name>', 'only runs of this worker')
    .action(listRuns)
  withExamples(ls, ['runs', 'runs ls --state waiting_for_approval --json'])
}

function addShow(runs: Command): void {
  const show = withService(runs.command('show'))
    .description('show a run with its transcript')
    .argument(...runArgument)
    .option('--preamble', 'also print the preamble, which the model reads before its instructions')
    .option('--json', 'print JSON')
    .action(showRun)
  withExamples(show, [
    `runs show ${runExample}`,
    `runs show ${runExample} --preamble`,
    `runs show ${runExample} --json`,
  ])
}

function addWatch(runs: Command): void {
  const watch = withService(runs.command('watch'))
    .summary('follow a run, and decide its requests if you may')
    .description(`follow a run, and decide its requests if you may. ${watchCodes}`)
    .argument(...runArgument)
    .option(
      '--json',
      'print the run as JSON when it ends or waits, and the progress on standard error; asks nothing',
    )
    .action(async (id: string, { json = false, ...options }: JsonOptions) => {
      process.exitCode = await watchRun(await connect(options), id, { json })
    })
  withExamples(watch, [`runs watch ${runExample}`, `runs watch ${runExample} --json`])
}

function addAttach(runs: Command): void {
  const attach = withService(runs.command('attach'))
    .summary('follow a run as a conversation: read, answer, decide')
    .description(
      `follow a run as a conversation: read its text as it is written, send messages and / commands, and decide with one key. Without a terminal this is the same as watch. ${watchCodes}`,
    )
    .argument(...runArgument)
    .action(async (id: string, options: ServiceOptions) => {
      const service = await connect(options)
      process.exitCode = await (isInteractive()
        ? converse(service, id)
        : watchRun(service, id, { json: false }))
    })
  withExamples(attach, ['runs attach 17', `runs attach ${runExample}`])
}

/** `countersign runs cancel`. */
function addCancel(runs: Command): void {
  const cancel = withService(runs.command('cancel'))
    .description('cancel a run and all its child runs')
    .argument(...runArgument)
    .option('-m, --message <reason>', 'the reason')
    .action(async (id: string, options: ServiceOptions & { message?: string }) => {
      const service = await connect(options)
      const body = options.message === undefined ? {} : { reason: options.message }
      const run = await service.call('cancelRun', { params: { id }, body })
      console.log(`run ${run.id} is ${run.state}`)
    })
  withExamples(cancel, [`runs cancel ${runExample} -m "wrong folder"`])
}

/** `countersign runs close`. */
function addClose(runs: Command): void {
  const close = withService(runs.command('close'))
    .description('complete a run that waits for a message')
    .argument(...runArgument)
    .option('--json', 'print JSON')
    .action(async (id: string, options: JsonOptions) => {
      const service = await connect(options)
      const closed = await service.call('closeRun', {
        params: { id },
        idempotencyKey: randomUUID(),
      })
      console.log(
        options.json === true ? jsonText(closed) : `run #${closed.number} is ${closed.state}`,
      )
    })
  withExamples(close, [`runs close ${runExample}`, `runs close ${runExample} --json`])
}

/** `countersign runs discard`. */
function addDiscard(runs: Command): void {
  const discard = withService(runs.command('discard'))
    .summary('remove the worktree of a run that has ended')
    .description(
      'remove the worktree of a run that has ended, and its branch, with what is not merged or committed',
    )
    .argument(...runArgument)
    .option('--json', 'print JSON')
    .action(async (id: string, options: JsonOptions) => {
      const service = await connect(options)
      const run = await service.call('discardRun', { params: { id } })
      console.log(
        options.json === true
          ? jsonText(run)
          : `the worktree of run #${run.number} is discarded, and its branch ${run.workspace.branch ?? ''}`,
      )
    })
  withExamples(discard, [`runs discard ${runExample}`, `runs discard ${runExample} --json`])
}
