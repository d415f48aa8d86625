import type { Command } from 'commander'
import { connect } from '../../service/connect.ts'
import {
  pageOf,
  type PagingOptions,
  printPage,
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
    .action(async (id: string, options: ServiceOptions) => {
      await (await connect(options)).call('removeCredential', { params: { id } })
      console.log('Removed.')
    })
  withExamples(remove, ['people credentials remove 019ab0c2-7d1e-7000-8000-0242ac120002'])
}

async function listCredentials(
  options: ServiceOptions & PagingOptions & { all?: boolean },
): Promise<void> {
  const service = await connect(options)
  const of = options.all === true ? 'everybody' : 'me'
  const list = await service.call('listCredentials', { query: { ...pageOf(options), of } })
  printPage(
    list,
    options,
    ['id', 'person', 'name', 'key', 'registered', 'last used', 'confirmed by'],
    (one) => [
      one.id,
      one.person.name,
      one.name,
      one.publicKeyHash.slice(0, 'sha256:'.length + 16),
      one.registeredAt,
      one.lastUsedAt ?? 'never',
      one.confirmed?.by.name ?? 'nobody yet',
    ],
    'No passkeys. People register them on their account page of the dashboard.',
  )
}
