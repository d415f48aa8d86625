import { confirm, text } from '@clack/prompts'
import type { Command } from 'commander'
import type { ScopeName } from '../../api/schemas/grants.ts'
import type { RequestDetail } from '../../api/schemas/requests.ts'
import { type Choice, outcomeSentence, sendDecision } from '../decide/decide.ts'
import { CommandFailure, exitCodes } from '../exit-codes.ts'
import { isInteractive } from '../interactive.ts'
import { connect } from '../service/connect.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { requestText } from '../text/request-text.ts'
import { printable } from '../text/terminal-text.ts'

interface DecideOptions extends ServiceOptions {
  scope?: ScopeName
  message?: string
  digest?: string
  stop?: boolean
  json?: boolean
}

/** `countersign approve ID` and `countersign deny ID`: print everything and confirm. */
export function addDecideCommands(program: Command): void {
  withDecision(program.command('approve'))
    .description('approve exactly what the request shows')
    .option('--scope <scope>', 'once (default), run or path')
    .action((ref: string, options: DecideOptions) => decide('approve', ref, options))
  withDecision(program.command('deny'))
    .description('deny a request; the reason is shown to the model')
    .option('--stop', 'cancel the later calls of the turn too, and let the run wait for a message')
    .action((ref: string, options: DecideOptions) => decide('deny', ref, options))
}

function withDecision(command: Command): Command {
  return withService(command)
    .argument('<request>', 'its id or number')
    .option('-m, --message <reason>', 'why')
    .option('--digest <digest>', 'the digest that was shown; needed without a terminal')
    .option('--json', 'print the answer as JSON')
}

async function decide(
  decision: Choice['decision'],
  ref: string,
  options: DecideOptions,
): Promise<void> {
  if (options.digest === undefined && !isInteractive()) {
    throw new CommandFailure(
      `Without a terminal name what you decide on: --digest, as printed by: countersign requests show ${ref} --digest`,
      exitCodes.usage,
    )
  }
  const service = await connect(options)
  const request = await service.get<RequestDetail>(`/v1/requests/${encodeURIComponent(ref)}`)
  const page = requestText(request, { full: true })
  if (options.json !== true) {
    console.log(page.text)
    console.log(`\ninput\n${printable(JSON.stringify(request.input, null, 2))}\n`)
  }
  const shown = options.digest === undefined ? request : { ...request, digest: options.digest }
  const reason = options.message ?? (await reasonFor(request))
  if (options.digest === undefined && !(await isSure(decision, request, options))) {
    throw new CommandFailure('Nothing was decided.')
  }
  const answer = await sendDecision(service, shown, {
    decision,
    seenAll: page.whole,
    ...(decision === 'approve' ? { scope: options.scope ?? 'once' } : {}),
    ...(decision === 'deny' ? { then: options.stop === true ? 'stop' : 'continue' } : {}),
    ...(reason === undefined ? {} : { reason }),
  })
  console.log(options.json === true ? JSON.stringify(answer) : outcomeSentence(answer))
  process.exitCode = answer.state === 'pending' ? exitCodes.pending : exitCodes.done
}

/** High risk needs a reason; it is asked for where somebody can answer. */
async function reasonFor(request: RequestDetail): Promise<string | undefined> {
  if (request.risk !== 'high' || !isInteractive()) return undefined
  const reason = await text({ message: 'Reason (required at high risk)' })
  return typeof reason === 'string' && reason.trim() !== '' ? reason : undefined
}

async function isSure(
  decision: Choice['decision'],
  request: RequestDetail,
  options: DecideOptions,
): Promise<boolean> {
  const verb =
    decision === 'deny'
      ? `Deny${options.stop === true ? ' and stop' : ''}`
      : `Approve as shown, scope ${options.scope ?? 'once'}`
  const answer = await confirm({ message: `${verb}: #${request.number}?`, initialValue: false })
  return answer === true
}
