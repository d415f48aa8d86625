import type { Command } from 'commander'
import type { Trigger } from '#api/schemas/runs/triggers.ts'
import { connect } from '../service/connect.ts'
import { addList, type ServiceOptions, withService } from '../service/service-options.ts'
import { table } from '../text/table.ts'
import { printableLine } from '../text/terminal-text.ts'
import { withExamples } from './examples.ts'
import { addPauseCommands, lastRunText, requireNamed } from './starts.ts'

type Options = ServiceOptions & { json?: boolean }

/** `countersign triggers [ls|show|pause|resume]`. */
export function addTriggersCommand(program: Command): void {
  const triggers = program
    .command('triggers')
    .description(
      'list, pause and resume the triggers by which other systems start runs, and show how to call one',
    )
  const ls = addList(triggers)
    .description('list the triggers, each with its worker and its last run')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const list = await (await connect(options)).call('listTriggers', {})
      if (options.json === true) return console.log(JSON.stringify(list))
      const header = ['name', 'worker', 'as', 'secret', 'state', 'last run']
      console.log(table(header, list.items.map(rowOf), 'There are no triggers.'))
    })
  withExamples(ls, ['triggers', 'triggers ls --json'])
  const show = withService(triggers.command('show'))
    .description('show one trigger, with a command that calls it')
    .argument('<name>', 'its name in countersign.yaml')
    .option('--json', 'print JSON')
    .action(showTrigger)
  withExamples(show, ['triggers show deploys', 'triggers show deploys --json'])
  addPauseCommands(triggers, {
    kind: 'trigger',
    example: 'deploys',
    change: (service, verb, name) =>
      service.call(verb === 'pause' ? 'pauseTrigger' : 'resumeTrigger', { params: { name } }),
    resumedText: () => 'Resumed. Its messages start runs again.',
  })
}

async function showTrigger(name: string, options: Options): Promise<void> {
  const { items } = await (await connect(options)).call('listTriggers', {})
  const trigger = requireNamed('trigger', name, items)
  if (options.json === true) return console.log(JSON.stringify(trigger))
  const [, worker, as, , , last = ''] = rowOf(trigger)
  const signed = trigger.hasSecret
    ? 'It takes messages signed by Standard Webhooks with its secret, and calls with an API key:'
    : 'The service has no secret of it: it takes only calls with an API key:'
  console.log(
    [
      `trigger ${printableLine(name)} of ${worker}, as ${as === '' ? 'nobody' : as}`,
      last === '' ? 'no run yet' : `last run ${last}`,
      ...(trigger.paused ? ['It is paused: it refuses messages until it is resumed.'] : []),
      `${signed}\n`,
      `curl -X POST '${trigger.url}' \\`,
      `  -H "authorization: Bearer $COUNTERSIGN_API_KEY" -H 'content-type: application/json' \\`,
      `  -H 'idempotency-key: NAME-OF-THIS-MESSAGE' -d '{"what": "happened"}'`,
    ].join('\n'),
  )
}

function rowOf({ name, worker, as, hasSecret, paused, lastRun }: Trigger): string[] {
  return [
    printableLine(name),
    printableLine(worker),
    printableLine(as?.name ?? ''),
    hasSecret ? 'set' : 'missing',
    paused ? 'paused' : 'open',
    lastRunText(lastRun),
  ]
}
