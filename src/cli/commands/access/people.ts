import type { Command } from 'commander'
import type { z } from 'zod'
import type { signInLink } from '#api/schemas/access/auth.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { actOn } from '../../service/act-on.ts'
import { connect } from '../../service/connect.ts'
import { findService } from '../../service/find-service.ts'
import { printList } from '../../service/print-list.ts'
import {
  type PagingOptions,
  withPaging,
  addList,
  type ServiceOptions,
  withService,
  type JsonOptions,
} from '../../service/service-options.ts'
import { Service } from '../../service/service.ts'
import { addCredentialsCommand } from './credentials.ts'
import { withExamples } from '../examples.ts'
import { jsonText } from '../../terminal/json-text.ts'

/** `countersign people [ls|link|disable|unlink|credentials]`. */
export function addPeopleCommand(program: Command): void {
  const people = program
    .command('people')
    .description('list people, create sign-in links, disable accounts')
  const ls = withPaging(addList(people))
    .description('list everybody whom the project names or once named')
    .action((options: ServiceOptions & PagingOptions) =>
      printList(options, {
        read: (service, query) => service.call('listPeople', { query }),
        columns: {
          'e-mail': (person) => person.email,
          name: (person) => person.name,
          teams: (person) => person.teams.join(', '),
          state: (person) => (person.disabledAt === null ? '' : 'disabled'),
        },
        empty: 'No people. Name them in countersign.yaml, under teams.',
      }),
    )
  withExamples(ls, ['people', 'people ls --json'])
  const link = withService(people.command('link'))
    .description(
      'create a one-time sign-in link: on the host for any person, elsewhere for yourself',
    )
    .argument('<email>', 'the person whom the link signs in')
    .option('--json', 'print JSON')
    .action(async (email: string, options: JsonOptions) => {
      const signInLink = await makeLink(email, options)
      if (options.json === true) return console.log(jsonText(signInLink))
      console.log(`${signInLink.url}\nworks once, until ${signInLink.expiresAt}`)
    })
  withExamples(link, ['people link grace@example.com'])
  const disable = withService(people.command('disable'))
    .description(
      'end the sessions and keys of a person for good; their votes no longer count (right managePeople)',
    )
    .argument('<email>', 'the person')
    .action(
      actOn(
        (service, email) => service.call('disablePerson', { params: { email } }),
        'Disabled, for good: this cannot be undone.',
      ),
    )
  withExamples(disable, ['people disable grace@example.com'])
  const unlink = withService(people.command('unlink'))
    .description(
      'remove the link between a person and their account at the sign-in provider (right managePeople)',
    )
    .argument('<email>', 'the person; the next account with their verified address becomes theirs')
    .action(
      actOn((service, email) => service.call('unlinkAccount', { params: { email } }), 'Unlinked.'),
    )
  withExamples(unlink, ['people unlink grace@example.com'])
  addCredentialsCommand(people)
}

/**
 * A caller that can read the host's own token needs no session. Everybody else asks with their own
 * session.
 */
async function makeLink(
  email: string,
  options: ServiceOptions,
): Promise<z.infer<typeof signInLink>> {
  const { url, hostToken } = await findService(options, processEnvironment())
  if (hostToken !== null && options.as === undefined) {
    return new Service(url, {}).call('createHostLink', { body: { email, token: hostToken } })
  }
  return (await connect(options)).call('createSignInLink', { params: { email } })
}
