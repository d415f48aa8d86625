import { type Command, InvalidArgumentError, Option } from 'commander'
import { scopes } from '#domain/policy/verdict.ts'
import type { ScopeName } from '#api/schemas/policy/grants.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { whyReason } from '#domain/deciding/why-reason.ts'
import { askAgain } from '../../decide/ask-bounds.ts'
import {
  type Choice,
  decisionOutcome,
  outcomeSentence,
  readAgain,
  sendDecision,
} from '../../decide/decide.ts'
import { coverageText } from '../../text/coverage-text.ts'
import { whereToSign } from '../../decide/needs-passkey.ts'
import { promptReason } from '../../decide/prompt-reason.ts'
import { misfitOf } from '../../decide/verb-of-kind.ts'
import { showWhole } from '../../decide/show-whole.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { isInteractive } from '../../terminal/interactive.ts'
import { isConfirmed, promptNow } from '../../terminal/prompt-now.ts'
import { connect } from '../../service/connect.ts'
import { withService, type JsonOptions } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'
import { readInstant, requestArgument } from '../option-values.ts'
import { jsonText } from '../../terminal/json-text.ts'

interface DecideOptions extends JsonOptions {
  readonly scope?: ScopeName
  readonly uses?: number
  readonly until?: string
  readonly message?: string
  readonly digest?: string
  readonly stop?: boolean
  readonly again?: boolean
}

const undecided = 'Nothing was decided.'
const digestExample = '"$(countersign requests show 12 --digest)"'

/** `countersign approve ID` and `countersign deny ID`: print everything and confirm. */
export function addDecideCommands(program: Command): void {
  const approve = withDecision(
    program.command('approve'),
    'the reason; required at high risk, and if the request was opened before a restore',
  )
    .description('approve exactly what a request shows')
    .addOption(
      new Option('--scope <scope>', 'how far the approval reaches').choices(scopes).default('once'),
    )
    .option('--uses <number>', 'with a scope wider than once: how often it may be used', readUses)
    .option('--until <time>', 'with a scope wider than once: when it ends, ISO 8601', readInstant)
    .option(
      '--again',
      'at high risk: confirm that this call was carried out before and may run again',
    )
    .action((ref: string, options: DecideOptions) => decide('approve', ref, options))
  withExamples(approve, [
    'approve 12',
    'approve 12 --scope run --uses 5 -m "the same file, five times"',
    `approve 12 --digest ${digestExample}`,
  ])
  const deny = withDecision(program.command('deny'), 'the reason; required at high risk')
    .description('deny a request; the reason is shown to the model')
    .option('--stop', 'also cancel the later calls of the turn, and let the run wait for a message')
    .action((ref: string, options: DecideOptions) => decide('deny', ref, options))
  withExamples(deny, ['deny 12 -m "use yarn"', 'deny 12 --stop -m "wrong branch"'])
}

function withDecision(command: Command, reasonHelp: string): Command {
  return withService(command)
    .argument(...requestArgument)
    .option('-m, --message <reason>', reasonHelp)
    .option('--digest <digest>', 'the digest that you reviewed: decides without a prompt')
    .option('--json', 'print the answer as JSON, and the request on standard error')
}

function readUses(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  throw new InvalidArgumentError('a whole number, 1 or more.')
}

async function decide(
  decision: Choice['decision'],
  ref: string,
  options: DecideOptions,
): Promise<void> {
  if (options.digest === undefined && !isInteractive()) {
    throw new CommandFailure(
      `Without a terminal, --digest must name what you decide on, as printed by: countersign requests show ${ref} --digest`,
      exitCodes.usage,
    )
  }
  const service = await connect(options)
  const request = await service.call('getRequest', { params: { id: ref } })
  const misfit = misfitOf('decide', request)
  if (misfit !== null) throw new CommandFailure(misfit)
  const print = options.json === true ? console.error : console.log
  const seenAll = await showWhole(service, request, (page) => print(page))
  const elsewhere = decision === 'approve' ? whereToSign(service, request) : null
  if (elsewhere !== null) throw new CommandFailure(`Nothing was decided. ${elsewhere}`)
  if (decision === 'approve') print(coverageText(request, options.scope ?? 'once'))
  const reason = options.message ?? (await reasonFor(decision, request))
  if (options.digest === undefined && !(await confirmDecision(decision, request, options))) {
    throw new CommandFailure(undecided)
  }
  const again = await isAgain(decision, request, options)
  if (again === null) throw new CommandFailure(undecided)
  const target = options.digest === undefined ? request : { ...request, digest: options.digest }
  const then = options.stop === true ? 'stop' : 'continue'
  const answer = await sendDecision(service, target, {
    decision,
    seenAll,
    again,
    ...(decision === 'approve' ? approval(options) : { then }),
    ...(reason === undefined ? {} : { reason }),
  })
  console.log(
    options.json === true
      ? jsonText(answer)
      : outcomeSentence(
          answer,
          decisionOutcome({ decision, then }),
          await readAgain(service, request),
        ),
  )
  process.exitCode = answer.state === 'pending' ? exitCodes.pending : exitCodes.done
}

function approval({ scope, uses, until }: DecideOptions): Partial<Choice> {
  const grant = {
    ...(uses === undefined ? {} : { uses }),
    ...(until === undefined ? {} : { expiresAt: until }),
  }
  return { scope: scope ?? 'once', ...(Object.keys(grant).length === 0 ? {} : { grant }) }
}

/**
 * Whether the person approves that the same call runs once more: by `--again`, or asked at the
 * terminal; `null`: they do not. With `--digest` nobody is asked.
 */
async function isAgain(
  decision: Choice['decision'],
  request: RequestDetail,
  options: DecideOptions,
): Promise<boolean | null> {
  if (decision === 'deny' || options.again === true) return options.again === true
  return options.digest === undefined
    ? promptNow(undecided, (input) => askAgain(request, input))
    : false
}

/** Asks for a required reason at a terminal. */
async function reasonFor(
  decision: Choice['decision'],
  request: RequestDetail,
): Promise<string | undefined> {
  const why = whyReason(decision, request)
  if (why === null || !isInteractive()) return undefined
  const reason = await promptNow(undecided, (input) => promptReason(why, input))
  if (reason === null) throw new CommandFailure(undecided)
  return reason
}

function confirmDecision(
  decision: Choice['decision'],
  request: RequestDetail,
  options: DecideOptions,
): Promise<boolean> {
  const verb =
    decision === 'deny'
      ? `Deny${options.stop === true ? ' and stop' : ''}`
      : `Approve as shown, scope ${options.scope ?? 'once'}`
  return promptNow(undecided, (input) => isConfirmed(`${verb}: #${request.number}?`, input))
}
