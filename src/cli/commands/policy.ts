import type { Command } from 'commander'
import type { PolicyAgreement } from '#api/schemas/policy/policy.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { isInteractive } from '../terminal/interactive.ts'
import { isConfirmed, promptNow } from '../terminal/prompt-now.ts'
import { connect } from '../service/connect.ts'
import { printList } from '../service/print-list.ts'
import {
  type PagingOptions,
  withPaging,
  type ServiceOptions,
  withService,
  type JsonOptions,
} from '../service/service-options.ts'
import { ServiceProblem, type Service } from '../service/service.ts'
import { definitionsText, serversText } from '../text/definitions-text.ts'
import { differenceText, replayText, shortDigest, stateText } from '../text/policy-text.ts'
import { fromNow } from '../text/times.ts'
import { terminalColumns } from '../text/wrap.ts'
import { withExamples } from './examples.ts'
import { readInstant } from './option-values.ts'
import { replayFolder, type ReplayedCalls } from './replay-folder.ts'
import { addPolicyChanges } from './policy-changes.ts'
import { jsonText } from '../terminal/json-text.ts'

const digestExample = '"$(countersign policy diff --digest)"'

/** `countersign policy [show|definitions|diff|replay|activate|withdraw|history|changes|apply]`. */
export function addPolicyCommand(program: Command): Command {
  const policy = program.command('policy').description('show, compare and activate policy versions')
  const show = withService(policy.command('show', { isDefault: true }))
    .description('show the version in force, the version in the folder, and an open proposal')
    .option('--json', 'print JSON')
    .action(showState)
  withExamples(show, ['policy', 'policy show --json'])
  const definitions = withService(policy.command('definitions'))
    .description(
      'print the tool definitions of MCP servers in full, as they are pinned and as they changed',
    )
    .option('--json', 'print JSON')
    .action(showDefinitions)
  withExamples(definitions, ['policy definitions', 'policy definitions --json'])
  const diff = withService(policy.command('diff'))
    .description('show what the folder of the service changes in the version in force')
    .option('--from <digest>', 'compare with this version instead of the one in force')
    .option('--to <digest>', 'compare this version instead of the folder')
    .option('--digest', 'print only the digest of the other version')
    .option('--json', 'print JSON')
    .action(showDifference)
  withExamples(diff, ['policy diff', 'policy diff --digest', 'policy diff --json'])
  const activate = withService(policy.command('activate'))
    .description("activate the folder's version, or agree to it as the second person")
    .option(
      '--digest <digest>',
      'the digest of the version that you reviewed: activates it without a prompt',
    )
    .option('--yes', 'activate what the terminal shows without a prompt and without a replay')
    .option('--json', 'print the answer and the replay as JSON, and the rest on standard error')
    .action(activateFolder)
  withExamples(activate, ['policy activate', `policy activate --digest ${digestExample}`])
  const replay = withService(policy.command('replay'))
    .description(
      "list the verdicts of past calls that the folder's version would change; the exit code is 1 if there is one, or if a call cannot be judged",
    )
    .option('--since <time>', 'only calls made since then, ISO 8601', readInstant)
    .option('--json', 'print JSON')
    .action(replayCalls)
  withExamples(replay, ['policy replay', 'policy replay --since 2026-11-01 --json'])
  const withdraw = withService(policy.command('withdraw'))
    .description('withdraw the version that waits for a second person')
    .action(withdrawProposal)
  withExamples(withdraw, ['policy withdraw'])
  const history = withPaging(withService(policy.command('history')))
    .description('list all activations of policy versions, and who agreed to them')
    .action(showHistory)
  withExamples(history, ['policy history', 'policy history --limit 5 --json'])
  addPolicyChanges(policy)
  return policy
}

async function showState(options: JsonOptions): Promise<void> {
  const service = await connect(options)
  const state = await service.call('getPolicy')
  if (options.json === true) return console.log(jsonText(state))
  console.log(stateText(state))
  const { items } = await service.call('listDefinitions')
  if (items.length > 0) console.log(serversText(items))
}

async function showDefinitions(options: JsonOptions): Promise<void> {
  const list = await (await connect(options)).call('listDefinitions')
  if (options.json === true) return console.log(jsonText(list))
  console.log(definitionsText(list.items, terminalColumns()))
}

async function showDifference(
  options: JsonOptions & { from?: string; to?: string; digest?: boolean },
): Promise<void> {
  const service = await connect(options)
  const { from, to } = options
  const comparison = await service.call('comparePolicies', { query: { from, to } })
  if (options.json === true) return console.log(jsonText(comparison))
  console.log(options.digest === true ? comparison.to : differenceText(comparison))
}

interface ActivateOptions extends JsonOptions {
  readonly digest?: string
  readonly yes?: boolean
}

/**
 * Prints the difference and which calls of the last 30 days would be decided differently, confirms,
 * and agrees to exactly that version.
 */
async function activateFolder(options: ActivateOptions): Promise<void> {
  if (options.digest === undefined && !isInteractive()) {
    throw new CommandFailure(
      'Without a terminal, --digest must name the version to activate, as printed by: countersign policy diff --digest',
      exitCodes.usage,
    )
  }
  const service = await connect(options)
  const comparison = await service.call('comparePolicies')
  const print = options.json === true ? console.error : console.log
  print(differenceText(comparison))
  const asks = options.digest === undefined && options.yes !== true
  const isNew = comparison.from !== comparison.to
  const replays = isNew && options.yes !== true && (asks || options.json === true)
  const replay = replays ? await replayLately(service) : null
  if (replay !== null) print(typeof replay === 'string' ? replay : replayText(replay))
  if (asks && isNew) {
    const message = `Activate ${shortDigest(comparison.to)}?`
    const nothing = 'Nothing was activated.'
    const isSure = await promptNow(nothing, (input) => isConfirmed(message, input))
    if (!isSure) throw new CommandFailure(nothing)
  }
  const digest = options.digest ?? comparison.to
  const answer = await service
    .call('activatePolicy', { body: { digest } })
    .catch((error: unknown) => {
      if (!(error instanceof ServiceProblem) || error.code !== 'stale_digest') throw error
      throw new CommandFailure(`${error.message}. Review it again: countersign policy diff`)
    })
  const ofReplay = replay === null || typeof replay === 'string' ? null : replay
  console.log(
    options.json === true ? jsonText({ ...answer, replay: ofReplay }) : agreementSentence(answer),
  )
  process.exitCode = answer.state === 'proposed' ? exitCodes.pending : exitCodes.done
}

const replayedMs = 30 * 24 * 3600 * 1000

/** A sentence if the calls cannot be judged now, which prevents no activation. */
async function replayLately(service: Service): Promise<ReplayedCalls | string> {
  try {
    return await replayFolder(service, new Date(Date.now() - replayedMs).toISOString())
  } catch (error) {
    if (!(error instanceof ServiceProblem)) throw error
    return `Calls of the last 30 days were not judged: ${error.message}`
  }
}

function agreementSentence({ state, digest, sequence }: PolicyAgreement): string {
  switch (state) {
    case 'activated':
      return `In force: ${digest}, activation ${sequence}.`
    case 'in_force':
      return `${digest} is in force already.`
    case 'proposed':
      return `Proposed. It comes into force when a second person who may activate policy agrees to the same version: countersign policy activate --digest ${digest}`
  }
}

async function replayCalls(options: JsonOptions & { since?: string }): Promise<void> {
  const replayed = await replayFolder(await connect(options), options.since)
  console.log(options.json === true ? jsonText(replayed) : replayText(replayed))
  const isSame = replayed.items.length === 0 && replayed.notJudged.length === 0
  process.exitCode = isSame ? exitCodes.done : exitCodes.failed
}

async function withdrawProposal(options: ServiceOptions): Promise<void> {
  const service = await connect(options)
  const { proposal } = await service.call('getPolicy')
  if (proposal === null) throw new CommandFailure('No version waits for a second person.')
  await service.call('withdrawPolicyProposal', { params: { id: proposal.id } })
  console.log(`Withdrawn: ${proposal.digest}`)
}

function showHistory(options: JsonOptions & PagingOptions): Promise<void> {
  return printList(options, {
    read: (service, query) => service.call('listActivations', { query }),
    columns: {
      'no.': (one) => String(one.sequence),
      digest: (one) => shortDigest(one.digest),
      since: (one) => fromNow(one.activatedAt),
      agreed: (one) => one.people.map((person) => person.name).join(', ') || one.actor.type,
      from: (one) => one.note ?? '',
    },
    empty: 'Nothing was activated.',
  })
}
