import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Json } from '#domain/json/json.ts'
import { runStates } from '#domain/requests/request.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { filesToSend } from '../converse/files-to-send.ts'
import { converse } from '../converse/converse.ts'
import { isInteractive } from '../terminal/interactive.ts'
import { watchRun, watchCodes } from '../decide/watch-run.ts'
import { connect } from '../service/connect.ts'
import {
  addList,
  type ServiceOptions,
  withService,
  withPaging,
} from '../service/service-options.ts'
import { pageUrl } from '../service/service.ts'
import { table } from '../text/table.ts'
import { printableLine } from '../text/terminal-text.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import { listRuns, showRun } from './show-runs.ts'
import { andAnother, readBudget, readReference } from './option-values.ts'
import { runExample, withExamples } from './examples.ts'
import { jsonText } from '../terminal/json-text.ts'

/** `countersign runs [ls|show|watch|attach|message|fork|close|discard|cancel|call]`. */
export function addRunsCommand(program: Command): void {
  const runs = program.command('runs').description('list, show and control runs')
  const ls = withPaging(addList(runs))
    .description('list runs, newest first')
    .addOption(new Option('--state <state>', 'only runs in this state').choices(runStates))
    .option('--worker <name>', 'only runs of this worker')
    .action(listRuns)
  withExamples(ls, ['runs', 'runs ls --state waiting_for_approval --json'])
  const show = withService(runs.command('show'))
    .description('show a run with its transcript')
    .argument('<run>', 'its number or id', readReference)
    .option('--preamble', 'also print the preamble, which the model reads before its instructions')
    .option('--json', 'print JSON')
    .action(showRun)
  withExamples(show, [
    `runs show ${runExample}`,
    `runs show ${runExample} --preamble`,
    `runs show ${runExample} --json`,
  ])
  const watch = withService(runs.command('watch'))
    .summary('follow a run, and decide its requests if you may')
    .description(`follow a run, and decide its requests if you may. ${watchCodes}`)
    .argument('<run>', 'its number or id', readReference)
    .option(
      '--json',
      'print the run as JSON when it ends or waits, and the progress on standard error; asks nothing',
    )
    .action(
      async (id: string, { json = false, ...options }: ServiceOptions & { json?: boolean }) => {
        process.exitCode = await watchRun(await connect(options), id, { json })
      },
    )
  withExamples(watch, [`runs watch ${runExample}`, `runs watch ${runExample} --json`])
  const attach = withService(runs.command('attach'))
    .summary('follow a run as a conversation: read, answer, decide')
    .description(
      `follow a run as a conversation: read its text as it is written, send messages and / commands, and decide with one key. Without a terminal this is the same as watch. ${watchCodes}.`,
    )
    .argument('<run>', 'its number or id', readReference)
    .action(async (id: string, options: ServiceOptions) => {
      const service = await connect(options)
      process.exitCode = await (isInteractive()
        ? converse(service, id)
        : watchRun(service, id, { json: false }))
    })
  withExamples(attach, ['runs attach 17', `runs attach ${runExample}`])
  const cancel = withService(runs.command('cancel'))
    .description('cancel a run and all its child runs')
    .argument('<run>', 'its number or id', readReference)
    .option('-m, --message <reason>', 'the reason')
    .action(async (id: string, options: ServiceOptions & { message?: string }) => {
      const service = await connect(options)
      const body = options.message === undefined ? {} : { reason: options.message }
      const cancelled = await service.call('cancelRun', { params: { id }, body })
      console.log(`run ${cancelled.id} is ${cancelled.state}`)
    })
  withExamples(cancel, [`runs cancel ${runExample} -m "wrong folder"`])
  const message = withService(runs.command('message'))
    .description('send a message to a run; a run that waits for input continues')
    .argument('<run>', 'its number or id', readReference)
    .argument('<text>', 'the message')
    .option(
      '--budget <limits>',
      'what the run may use from now on, such as turns=10,tokens=50000; never above the limits of its worker',
      readBudget,
    )
    .option(
      '--file <path>',
      'a picture or text of this computer that goes with it; can be given several times',
      andAnother,
    )
    .action(postMessage)
  withExamples(message, [
    `runs message ${runExample} "go on with the second part"`,
    `runs message ${runExample} "it looks like this" --file page.png`,
  ])
  const fork = withService(runs.command('fork'))
    .summary('start a run that continues the transcript of another')
    .description(
      'start a run that continues the transcript of another run from a given turn. The principals of the other run are principals of the new one',
    )
    .argument('<run>', 'its number or id', readReference)
    .argument('[text]', 'the first message; required, except with --after 0')
    .option(
      '--after <turn>',
      'the last turn to copy; 0: none (default: the last finished turn)',
      readTurn,
    )
    .option(
      '--file <path>',
      'a picture or text of this computer that goes with it; can be given several times',
      andAnother,
    )
    .option('--pinned', 'use the worker version of the other run, not the current one')
    .option('--json', 'print JSON')
    .action(forkRun)
  withExamples(fork, [
    `runs fork ${runExample} "write them for 1.3 instead"`,
    `runs fork ${runExample} --after 3 "leave the third part out"`,
    `runs fork ${runExample} --after 0`,
    `runs fork ${runExample} "make it look like this" --file page.png`,
  ])
  const close = withService(runs.command('close'))
    .description('complete a run that waits for a message')
    .argument('<run>', 'its number or id', readReference)
    .option('--json', 'print JSON')
    .action(async (id: string, options: ServiceOptions & { json?: boolean }) => {
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
  const discard = withService(runs.command('discard'))
    .summary('remove the worktree of a run that has ended')
    .description(
      'remove the worktree of a run that has ended, and its branch, with what is not merged or committed',
    )
    .argument('<run>', 'its number or id', readReference)
    .option('--json', 'print JSON')
    .action(async (id: string, options: ServiceOptions & { json?: boolean }) => {
      const service = await connect(options)
      const run = await service.call('discardRun', { params: { id } })
      console.log(
        options.json === true
          ? jsonText(run)
          : `the worktree of run #${run.number} is discarded, and its branch ${run.workspace.branch ?? ''}`,
      )
    })
  withExamples(discard, [`runs discard ${runExample}`, `runs discard ${runExample} --json`])
  const call = withService(runs.command('call'))
    .description('invoke a manual tool on a run: it runs, or it asks another person')
    .argument('<run>', 'its number or id', readReference)
    .argument('[tool]', 'name of the tool; without it, lists the tools that can be invoked')
    .argument('[input]', 'its input, a JSON object', '{}')
    .option('--json', 'print JSON')
    .action(callTool)
  withExamples(call, [
    `runs call ${runExample}`,
    `runs call ${runExample} deploy '{"to":"staging"}'`,
  ])
}

interface MessageOptions extends ServiceOptions {
  readonly budget?: RunBudget
  readonly file?: readonly string[]
}

async function postMessage(id: string, text: string, options: MessageOptions): Promise<void> {
  const service = await connect(options)
  const { budget, file } = options
  const body = {
    text,
    ...(budget === undefined ? {} : { budget }),
    ...(await filesToSend(file)),
  }
  await service.call('postMessage', { params: { id }, body, idempotencyKey: randomUUID() })
  console.log('Sent. The next turn of the run reads it.')
}

interface ForkOptions extends ServiceOptions {
  readonly after?: number
  readonly file?: readonly string[]
  readonly pinned?: boolean
  readonly json?: boolean
}

async function forkRun(id: string, text: string | undefined, options: ForkOptions): Promise<void> {
  const service = await connect(options)
  const { after, file, pinned } = options
  const run = await service.call('forkRun', {
    params: { id },
    body: {
      ...(text === undefined ? {} : { text }),
      ...(after === undefined ? {} : { afterTurn: after }),
      ...(pinned === true ? { worker: 'pinned' as const } : {}),
      ...(await filesToSend(file)),
    },
    idempotencyKey: randomUUID(),
  })
  if (options.json === true) return console.log(jsonText(run))
  console.log(
    `run ${run.id} of ${run.worker}, mode ${run.mode}, #${run.number}\n${pageUrl(service, `/runs/${run.id}`)}`,
  )
}

function readTurn(text: string): number {
  if (!/^(0|[1-9][0-9]{0,8})$/.test(text)) throw new InvalidArgumentError('a turn is a number.')
  return Number(text)
}

async function callTool(
  id: string,
  tool: string | undefined,
  inputText: string,
  options: ServiceOptions & { json?: boolean },
): Promise<void> {
  const service = await connect(options)
  if (tool === undefined) {
    const { items } = await service.call('listRunTools', { params: { id } })
    if (options.json === true) return console.log(jsonText(items))
    const rows = items.map((item) => [item.name, printableLine(item.description)])
    return console.log(table(['tool', 'description'], rows, 'This run has no manual tools.'))
  }
  const body = { tool, input: readInput(inputText) }
  const called = await service.call('invokeTool', { params: { id }, body })
  if (options.json === true) return console.log(jsonText(called))
  console.log(
    called.requestId === null
      ? `${called.tool} runs. Its result enters the run as a message.`
      : `${called.tool} asks another person: ${pageUrl(service, `/requests/${called.requestId}`)}`,
  )
}

/** The service refuses what is no object. */
function readInput(text: string): Record<string, Json> {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommandFailure(`The input is not JSON: ${text}`, exitCodes.usage, { cause })
  }
}
