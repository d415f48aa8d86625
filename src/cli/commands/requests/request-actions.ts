import { type Command, InvalidArgumentError, Option } from 'commander'
import { settlementThens, type SettlementThen } from '#domain/requests/request.ts'
import { connect } from '../../service/connect.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'
import { readInstant, requestArgument } from '../option-values.ts'

interface SettleOptions extends ServiceOptions {
  readonly ran: boolean | null
  readonly then: SettlementThen
  readonly message: string
}

/** Commands about a request that do not decide it. */
export function addRequestActions(requests: Command): void {
  addClaim(requests)
  addComment(requests)
  addSettle(requests)
  addRevoke(requests)
  addExtend(requests)
}

function addClaim(requests: Command): void {
  const command = onRequest(requests, 'claim')
    .description('tell colleagues that you are looking at a request; this does not lock it')
    .option('--release', 'end your claim')
    .action(async (ref: string, options: ServiceOptions & { release?: boolean }) => {
      const service = await connect(options)
      const operation = options.release === true ? 'releaseRequest' : 'claimRequest'
      await service.call(operation, { params: { id: ref } })
      console.log(options.release === true ? 'Released.' : 'Claimed.')
    })
  withExamples(command, ['requests claim 12', 'requests claim 12 --release'])
}

function addComment(requests: Command): void {
  const command = onRequest(requests, 'comment')
    .description('add a comment for colleagues; the agent never reads it')
    .argument('<text>', 'the comment')
    .action(async (ref: string, text: string, options: ServiceOptions) => {
      await (await connect(options)).call('commentRequest', { params: { id: ref }, body: { text } })
      console.log('Commented.')
    })
  withExamples(command, ['requests comment 12 "is the plan approved?"'])
}

function addSettle(requests: Command): void {
  const command = onRequest(requests, 'settle')
    .description('state whether a call with an unknown outcome took effect')
    .requiredOption('--ran <answer>', 'whether the call ran: yes, no or unknown', readRan)
    .addOption(
      new Option('--then <what>', 'what the run does next; again only if the call did not run')
        .choices(settlementThens)
        .makeOptionMandatory(),
    )
    .requiredOption('-m, --message <reason>', 'how you found out')
    .action(async (ref: string, { ran, then, message, ...options }: SettleOptions) => {
      const body = { ran, then, reason: message }
      await (await connect(options)).call('settleOutcome', { params: { id: ref }, body })
      console.log('Settled.')
    })
  withExamples(command, [
    'requests settle 14 --ran yes --then continue -m "the file is there"',
    'requests settle 14 --ran no --then again -m "nothing was sent"',
  ])
}

function addRevoke(requests: Command): void {
  const command = onRequest(requests, 'revoke')
    .description('revoke an approval before its call has started')
    .requiredOption('-m, --message <reason>', 'the reason; required')
    .action(async (ref: string, options: ServiceOptions & { message: string }) => {
      const body = { reason: options.message }
      await (await connect(options)).call('revokeApproval', { params: { id: ref }, body })
      console.log('Revoked. The call will not run.')
    })
  withExamples(command, ['requests revoke 12 -m "the release was called off"'])
}

function addExtend(requests: Command): void {
  const command = onRequest(requests, 'extend')
    .description('move the deadline of a request')
    .argument('<time>', 'the new deadline, ISO 8601', readInstant)
    .action(async (ref: string, expiresAt: string, options: ServiceOptions) => {
      await (
        await connect(options)
      ).call('extendRequest', { params: { id: ref }, body: { expiresAt } })
      console.log(`Expires ${expiresAt}.`)
    })
  withExamples(command, ['requests extend 12 2027-01-15T12:00Z'])
}

function onRequest(requests: Command, name: string): Command {
  return withService(requests.command(name)).argument(...requestArgument)
}

function readRan(text: string): boolean | null {
  if (text === 'yes') return true
  if (text === 'no') return false
  if (text === 'unknown') return null
  throw new InvalidArgumentError('yes, no or unknown.')
}
