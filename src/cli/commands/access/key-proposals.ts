import type { Command } from 'commander'
import { actOn } from '../../service/act-on.ts'
import { connect } from '../../service/connect.ts'
import { printList } from '../../service/print-list.ts'
import {
  type PagingOptions,
  withPaging,
  type ServiceOptions,
  withService,
  type JsonOptions,
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
    .action(async (id: string, options: JsonOptions) => {
      const service = await connect(options)
      const answer = await service.call('claimKey', { params: { id } })
      console.log(options.json === true ? jsonText(answer) : answer.key)
    })
  withExamples(claim, ['keys claim 019ae7c2-54f0-7a31-b7c1-5a8f6f0f3c55'])
  const decline = withService(keys.command('decline'))
    .description('decline a key that was proposed to you, or withdraw a proposal')
    .argument('<proposal>', 'its id')
    .action(actOn((service, id) => service.call('declineKey', { params: { id } }), 'Declined.'))
  withExamples(decline, ['keys decline 019ae7c2-54f0-7a31-b7c1-5a8f6f0f3c55'])
}

function listProposals(options: ServiceOptions & PagingOptions): Promise<void> {
  return printList(options, {
    read: (service, query) => service.call('listKeyProposals', { query }),
    columns: {
      id: (one) => one.id,
      name: (one) => one.name,
      for: (one) => one.owner.email,
      'proposed by': (one) => one.proposedBy.email,
      scopes: (one) => one.scopes.join(','),
      until: (one) => one.expiresAt,
    },
    empty: 'No key waits for its owner.',
  })
}
