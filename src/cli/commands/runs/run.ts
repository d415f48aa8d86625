import { parseObject } from '#domain/json/parse-json.ts'
import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import type { Json } from '#domain/json/json.ts'
import { runModes, type RunMode } from '#domain/policy/verdict.ts'
import { filesToSend } from '../../converse/files-to-send.ts'
import { converse } from '../../converse/converse.ts'
import { type ExitCode, exitCodes } from '../../terminal/exit-codes.ts'
import { watchRun, watchCodes } from '../../decide/watch-run.ts'
import { connect } from '../../service/connect.ts'
import type { Service } from '../../service/service.ts'
import { isInteractive } from '../../terminal/interactive.ts'
import { withService, type JsonOptions } from '../../service/service-options.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import { fileOption, readBudget } from '../option-values.ts'
import { withExamples } from '../examples.ts'
import { jsonText } from '../../terminal/json-text.ts'
import { startedText, withWarnings } from './started-run.ts'

interface RunOptions extends JsonOptions {
  readonly mode?: RunMode
  readonly workspace?: string
  readonly attach?: string[]
  readonly file?: readonly string[]
  readonly watch?: boolean
  readonly conversation?: boolean
  readonly budget?: RunBudget
}

/**
 * `countersign run WORKER INPUT`: starts a run, and with `--watch` follows it and decides in place.
 */
export function addRunCommand(program: Command): void {
  const command = withService(program.command('run'))
    .summary('start a run of a worker')
    .description(`start a run of a worker. With --watch, ${watchCodes.toLowerCase()}`)
    .argument('<worker>', 'the name of a file in workers/')
    .argument('<input>', 'the task: text, or a JSON object')
    .option(
      '--mode <mode>',
      'prompt (default): calls that ask wait; strict: they are denied; approve_all: they are approved (needs a right)',
      readMode,
    )
    .option(
      '--workspace <name>',
      'the workspace, one of those that the worker file lists (default: the first)',
    )
    .option(
      '--attach <file...>',
      'files of the workspace that the run gets with its task, by their paths in the workspace',
    )
    .option(...fileOption)
    .option(
      '--watch',
      'follow the run, and decide its requests if you may (default on a terminal: a conversation)',
    )
    .option('--no-watch', 'start it and return')
    .option(
      '--conversation',
      'wait for the next message after the answer (default on a terminal, unless the worker file says false)',
    )
    .option('--no-conversation', 'end with the answer')
    .option(
      '--budget <limits>',
      'what the run may use until the next message, such as turns=10,tokens=50000; never above the limits of its worker',
      readBudget,
    )
    .option(
      '--json',
      'print the run as JSON; with --watch, when it ends or waits, and the progress on standard error',
    )
    .action(async (worker: string, input: string, options: RunOptions) => {
      const service = await connect(options)
      const started = await service.call('startRun', {
        body: {
          worker,
          input: readTask(input),
          mode: options.mode ?? 'prompt',
          conversation: options.conversation ?? (await conversationHere(service, worker)),
          ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
          ...(options.budget === undefined ? {} : { budget: options.budget }),
          ...(options.attach === undefined ? {} : { attachments: options.attach }),
          ...(await filesToSend(options.file)),
        },
        idempotencyKey: randomUUID(),
      })
      const run = await withWarnings(service, started)
      const text = startedText(service, run)
      if (options.json !== true) console.log(text)
      else if (options.watch === true) console.error(text)
      else console.log(jsonText(run))
      process.exitCode = await follow(service, run.id, options)
    })
  withExamples(command, [
    'run release-notes "draft the notes of 1.2" --watch',
    `run release-notes '{"version": "1.2"}' --json`,
    'run release-notes "shorten these notes" --attach notes/1.2.md',
    'run designer "make the page look like this" --file page.png',
    'run release-notes "draft the notes" --workspace shop',
    'run release-notes "draft the notes" --as ada@example.com --mode strict',
  ])
}

/** At a terminal a run is a conversation. Elsewhere it is followed only on request. */
async function follow(service: Service, runId: string, options: RunOptions): Promise<ExitCode> {
  const { watch, json = false } = options
  if (isInteractive() && watch !== false && !json) return converse(service, runId)
  return watch === true ? watchRun(service, runId, { json }) : exitCodes.done
}

/**
 * Whether the new run rests after its answer: at a terminal it does, because somebody can continue
 * it there, unless the worker file says otherwise. Elsewhere the service decides.
 */
async function conversationHere(service: Service, name: string): Promise<boolean | undefined> {
  if (!isInteractive()) return undefined
  const { conversation } = await service.call('getWorker', { params: { name } })
  return conversation ?? true
}

/** Reads the mode. Two modes on one line are an error (product.md 21). */
function readMode(text: string, before?: RunMode): RunMode {
  if (before !== undefined) throw new InvalidArgumentError('a run has one mode.')
  const mode = runModes.find((one) => one === text)
  if (mode === undefined) throw new InvalidArgumentError(`one of ${runModes.join(', ')}.`)
  return mode
}

/** A JSON object when the text is one; text otherwise. */
function readTask(text: string): string | Record<string, Json> {
  return parseObject(text) ?? text
}
