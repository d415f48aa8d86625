import type { Command } from 'commander'
import { actOn } from '../service/act-on.ts'
import { connect } from '../service/connect.ts'
import {
  addList,
  type ServiceOptions,
  withService,
  type JsonOptions,
} from '../service/service-options.ts'
import { table } from '../text/table.ts'
import { withExamples } from './examples.ts'
import { printableLine } from '../text/terminal-text.ts'
import { jsonText } from '../terminal/json-text.ts'

/** `countersign slack [ls|link|unlink]`. */
export function addSlackCommand(program: Command): void {
  const slack = program.command('slack').description('link your account with a user of Slack')
  const ls = addList(slack)
    .description('list your links')
    .option('--json', 'print JSON')
    .action(listLinks)
  withExamples(ls, ['slack', 'slack ls --json'])
  const link = withService(slack.command('link'))
    .description('confirm that you are the user to whom Slack showed the link')
    .argument('<code>', 'the link that Slack showed you, or the code in it')
    .action(async (linkOrCode: string, options: ServiceOptions) => {
      const code = linkOrCode.split('#slack=').at(-1) ?? linkOrCode
      const service = await connect(options)
      const link = await service.call('confirmSlackLink', { body: { code } })
      console.log(printableLine(`You are ${link.userId} in the workspace ${link.team}.`))
    })
  withExamples(link, ['slack link "https://approvals.example.com/account#slack=…"'])
  const unlink = withService(slack.command('unlink'))
    .description('end a link at once')
    .argument('<link>', 'its id')
    .action(actOn((service, id) => service.call('removeSlackLink', { params: { id } }), 'Ended.'))
  withExamples(unlink, ['slack unlink 019ab0c2-7d1e-7000-8000-0242ac120002'])
}

async function listLinks(options: JsonOptions): Promise<void> {
  const list = await (await connect(options)).call('listSlackLinks')
  if (options.json === true) return console.log(jsonText(list))
  console.log(
    table(
      ['id', 'workspace', 'user', 'since'],
      list.items.map((one) => [one.id, one.team, one.userId, one.createdAt]),
      list.configured
        ? 'Not linked. Press a button of a message in Slack: it shows the link.'
        : 'Not linked, and no workspace is configured (slack in countersign.yaml).',
    ),
  )
}
