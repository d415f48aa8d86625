import type { Command } from 'commander'
import { countWords } from '#domain/text/quantities/count-words.ts'
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

interface OfPerson {
  readonly person?: string
}

const personOption = [
  '--person <email>',
  'the sessions of another person (right managePeople)',
] as const

/** `countersign sessions [ls|end|end-others]`. */
export function addSessionsCommand(program: Command): void {
  const sessions = program.command('sessions').description('list and end sessions')
  const ls = withPaging(addList(sessions))
    .description('list your live sessions')
    .option(...personOption)
    .action(listSessions)
  withExamples(ls, ['sessions', 'sessions ls --json', 'sessions ls --person grace@example.com'])
  const end = withService(sessions.command('end'))
    .description('end a session at once')
    .argument('<session>', 'its id')
    .action(actOn((service, id) => service.call('endSession', { params: { id } }), 'Ended.'))
  withExamples(end, ['sessions end 019ab0c2-7d1e-7000-8000-0242ac120002'])
  const others = withService(sessions.command('end-others'))
    .description('end all your sessions but the one of this command')
    .option(...personOption)
    .action(async ({ person, ...options }: ServiceOptions & OfPerson) => {
      const service = await connect(options)
      const { ended: count } = await service.call('endOtherSessions', {
        body: person === undefined ? {} : { person },
      })
      console.log(`Ended ${countWords(count, 'session')}.`)
    })
  withExamples(others, ['sessions end-others', 'sessions end-others --person grace@example.com'])
}

function listSessions(options: ServiceOptions & PagingOptions & OfPerson): Promise<void> {
  return printList(options, {
    read: (service, page) =>
      service.call('listSessions', { query: { ...page, person: options.person } }),
    columns: {
      id: (session) => session.id,
      where: (session) => session.device,
      by: (session) => session.method,
      started: (session) => session.createdAt,
      'last seen': (session) => session.lastSeenAt,
      '': (session) => (session.current ? 'this one' : ''),
    },
    empty: 'No sessions.',
  })
}
