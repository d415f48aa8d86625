import type { Command } from 'commander'
import { connect } from '../../service/connect.ts'
import {
  pageOf,
  type PagingOptions,
  printPage,
  withPaging,
  type ServiceOptions,
  withService,
} from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'
import { jsonText } from '../../terminal/json-text.ts'

/** `countersign keys [proposals|claim|decline]`: keys that somebody proposed to their owners. */
export function addProposalCommands(keys: Command): void {
  const list = withPaging(withService(keys.command('proposals')))
    .description('list keys that wait for their owners to claim them (right managePeople: all)')
    .action(listProposals)
  withExamples(list, ['keys proposals', 'keys proposals --json'])
  const claim = withService(keys.command('claim'))
    .description('claim a key that was proposed to you; its secret is printed only once')
    .argument('<proposal>', 'its id')
    .option('--json', 'print JSON')
    .action(async (id: string, options: ServiceOptions & { json?: boolean }) => {
      const service = await connect(options)
      const answer = await service.call('claimKey', { params: { id } })
      console.log(options.json === true ? jsonText(answer) : answer.key)
    })
  withExamples(claim, ['keys claim 019ae7c2-54f0-7a31-b7c1-5a8f6f0f3c55'])
  const decline = withService(keys.command('decline'))
    .description('decline a key that was proposed to you, or withdraw a proposal')
    .argument('<proposal>', 'its id')
    .action(async (id: string, options: ServiceOptions) => {
      await (await connect(options)).call('declineKey', { params: { id } })
      console.log('Declined.')
    })
  withExamples(decline, ['keys decline 019ae7c2-54f0-7a31-b7c1-5a8f6f0f3c55'])
}

async function listProposals(options: ServiceOptions & PagingOptions): Promise<void> {
  const service = await connect(options)
  const list = await service.call('listKeyProposals', { query: pageOf(options) })
  printPage(
    list,
    options,
    ['id', 'name', 'for', 'proposed by', 'scopes', 'until'],
    (one) => [
      one.id,
      one.name,
      one.owner.email,
      one.proposedBy.email,
      one.scopes.join(','),
      one.expiresAt,
    ],
    'No key waits for its owner.',
  )
}
