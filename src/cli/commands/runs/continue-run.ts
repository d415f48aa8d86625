import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import { filesToSend } from '../../converse/files-to-send.ts'
import { connect } from '../../service/connect.ts'
import {
  type ServiceOptions,
  withService,
  type JsonOptions,
} from '../../service/service-options.ts'
import { pageUrl } from '../../service/service.ts'
import { jsonText } from '../../terminal/json-text.ts'
import { table } from '../../text/table.ts'
import { printableLine } from '../../text/terminal-text.ts'
import { runExample, withExamples } from '../examples.ts'
import { fileOption, readBudget, readInput, runArgument } from '../option-values.ts'
import { startedText, withWarnings } from './started-run.ts'

/** `countersign runs message`. */
export function addMessage(runs: Command): void {
  const message = withService(runs.command('message'))
    .description('send a message to a run; a run that waits for input continues')
    .argument(...runArgument)
    .argument('<text>', 'the message')
    .option(
      '--budget <limits>',
      'what the run may use from now on, such as turns=10,tokens=50000; never above the limits of its worker',
      readBudget,
    )
    .option(...fileOption)
    .action(postMessage)
  withExamples(message, [
    `runs message ${runExample} "go on with the second part"`,
    `runs message ${runExample} "it looks like this" --file page.png`,
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

/** `countersign runs fork`. */
export function addFork(runs: Command): void {
  const fork = withService(runs.command('fork'))
    .summary('start a run that continues the transcript of another')
    .description(
      'start a run that continues the transcript of another run from a given turn. The principals of the other run are principals of the new one',
    )
    .argument(...runArgument)
    .argument('[text]', 'the first message; required, except with --after 0')
    .option(
      '--after <turn>',
      'the last turn to copy; 0: none (default: the last finished turn)',
      readTurn,
    )
    .option(...fileOption)
    .option('--pinned', 'use the worker version of the other run, not the current one')
    .option('--json', 'print JSON')
    .action(forkRun)
  withExamples(fork, [
    `runs fork ${runExample} "write them for 1.3 instead"`,
    `runs fork ${runExample} --after 3 "leave the third part out"`,
    `runs fork ${runExample} --after 0`,
    `runs fork ${runExample} "make it look like this" --file page.png`,
  ])
}

interface ForkOptions extends JsonOptions {
  readonly after?: number
  readonly file?: readonly string[]
  readonly pinned?: boolean
}

async function forkRun(id: string, text: string | undefined, options: ForkOptions): Promise<void> {
  const service = await connect(options)
  const { after, file, pinned } = options
  const started = await service.call('forkRun', {
    params: { id },
    body: {
      ...(text === undefined ? {} : { text }),
      ...(after === undefined ? {} : { afterTurn: after }),
      ...(pinned === true ? { worker: 'pinned' as const } : {}),
      ...(await filesToSend(file)),
    },
    idempotencyKey: randomUUID(),
  })
  const run = await withWarnings(service, started)
  if (options.json === true) return console.log(jsonText(run))
  console.log(startedText(service, run))
}

function readTurn(text: string): number {
  if (!/^(0|[1-9][0-9]{0,8})$/.test(text)) throw new InvalidArgumentError('a turn is a number.')
  return Number(text)
}

/** `countersign runs call`. */
export function addCall(runs: Command): void {
  const call = withService(runs.command('call'))
    .description('invoke a manual tool on a run: it runs, or it asks another person')
    .argument(...runArgument)
    .argument('[tool]', 'name of the tool; without it, lists the tools that can be invoked')
    .argument('[input]', 'its input, a JSON object', '{}')
    .option('--json', 'print JSON')
    .action(callTool)
  withExamples(call, [
    `runs call ${runExample}`,
    `runs call ${runExample} deploy '{"to":"staging"}'`,
  ])
}

async function callTool(
  id: string,
  tool: string | undefined,
  inputText: string,
  options: JsonOptions,
): Promise<void> {
  const service = await connect(options)
  if (tool === undefined) {
    const { items } = await service.call('listRunTools', { params: { id } })
    if (options.json === true) return console.log(jsonText(items))
    const rows = items.map((item) => [item.name, printableLine(item.description)])
    return console.log(table(['tool', 'description'], rows, 'This run has no manual tools.'))
  }
  const body = { tool, input: readInput(inputText) }
  const sending = { params: { id }, body, idempotencyKey: randomUUID() }
  const called = await service.call('invokeTool', sending)
  if (options.json === true) return console.log(jsonText(called))
  console.log(
    called.requestId === null
      ? `${called.tool} runs. Its result enters the run as a message.`
      : `${called.tool} asks another person: ${pageUrl(service, `/requests/${called.requestId}`)}`,
  )
}
