import type { Command } from 'commander'
import { actOn } from '../../service/act-on.ts'
import { connect } from '../../service/connect.ts'
import { printList } from '../../service/print-list.ts'
import {
  type PagingOptions,
  withPaging,
  addList,
  type ServiceOptions,
  withService,
} from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'
import { printableLine } from '../../text/terminal-text.ts'

/** `countersign people credentials [ls|confirm|remove]`. */
export function addCredentialsCommand(people: Command): void {
  const credentials = people.command('credentials').description('list, confirm and remove passkeys')
  const ls = withPaging(addList(credentials))
    .description('list your passkeys; with --all those of everybody (right managePeople)')
    .option('--all', "everybody's")
    .action(listCredentials)
  withExamples(ls, ['people credentials', 'people credentials --all'])
  const confirm = withService(credentials.command('confirm'))
    .description('confirm that a passkey belongs to a colleague (right managePeople)')
    .argument('<id>', 'its id; compare the key with the one that its owner sees')
    .action(async (id: string, options: ServiceOptions) => {
      const service = await connect(options)
      const { name, person } = await service.call('confirmCredential', { params: { id } })
      console.log(printableLine(`Confirmed: ${person.name} signs decisions with "${name}" now.`))
    })
  withExamples(confirm, ['people credentials confirm 019ab0c2-7d1e-7000-8000-0242ac120002'])
  const remove = withService(credentials.command('remove'))
    .description('remove a passkey; that of another person needs the right managePeople')
    .argument('<id>', 'its id')
    .action(
      actOn((service, id) => service.call('removeCredential', { params: { id } }), 'Removed.'),
    )
  withExamples(remove, ['people credentials remove 019ab0c2-7d1e-7000-8000-0242ac120002'])
}

function listCredentials(
  options: ServiceOptions & PagingOptions & { all?: boolean },
): Promise<void> {
  const of = options.all === true ? 'everybody' : 'me'
  return printList(options, {
    read: (service, page) => service.call('listCredentials', { query: { ...page, of } }),
    columns: {
      id: (one) => one.id,
      person: (one) => one.person.name,
      name: (one) => one.name,
      key: (one) => one.publicKeyHash.slice(0, 'sha256:'.length + 16),
      registered: (one) => one.registeredAt,
      'last used': (one) => one.lastUsedAt ?? 'never',
      'confirmed by': (one) => one.confirmed?.by.name ?? 'nobody yet',
    },
    empty: 'No passkeys. People register them on their account page of the dashboard.',
  })
}
