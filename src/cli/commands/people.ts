import type { Command } from 'commander'
import type { z } from 'zod'
import type { peopleList, signInLink } from '../../api/schemas/auth.ts'
import { connect } from '../service/connect.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { table } from '../text/table.ts'

/** `countersign people [ls|link|disable]`. */
export function addPeopleCommand(program: Command): void {
  const people = program.command('people').description('who may sign in and decide')
  withService(people.command('ls', { isDefault: true }))
    .description('everybody the project names or has named')
    .option('--json', 'print JSON')
    .action(async (options: ServiceOptions & { json?: boolean }) => {
      const service = await connect(options)
      const list = await service.get<z.infer<typeof peopleList>>('/v1/people')
      if (options.json === true) return console.log(JSON.stringify(list))
      console.log(
        table(
          ['e-mail', 'name', 'teams', 'state'],
          list.items.map((person) => [
            person.email,
            person.name,
            person.teams.join(', '),
            person.disabledAt === null ? '' : 'disabled',
          ]),
          'Nobody. Name people in countersign.yaml, under teams.',
        ),
      )
    })
  withService(people.command('link'))
    .description('make a one-time sign-in link (right activatePolicy)')
    .argument('<email>', 'whom it signs in')
    .action(async (email: string, options: ServiceOptions) => {
      const path = `/v1/people/${encodeURIComponent(email)}/link`
      const link = await (await connect(options)).post<z.infer<typeof signInLink>>(path)
      console.log(`${link.url}\nworks once, until ${link.expiresAt}`)
    })
  withService(people.command('disable'))
    .description('end their sessions and keys; their votes no longer count (right activatePolicy)')
    .argument('<email>', 'whom')
    .action(async (email: string, options: ServiceOptions) => {
      await (await connect(options)).post(`/v1/people/${encodeURIComponent(email)}/disable`)
      console.log('Disabled.')
    })
}
