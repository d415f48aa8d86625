import type { Command } from 'commander'
import type { Trigger } from '#api/schemas/runs/triggers.ts'
import { shellWord } from '#domain/tools/shell-word.ts'
import type { Columns } from '../service/service-options.ts'
import type { Service } from '../service/service.ts'
import { jsonText } from '../terminal/json-text.ts'
import { printableLine } from '../text/terminal-text.ts'
import { inputExample } from './input-example.ts'
import { addStartCommands, lastRunText } from './starts.ts'

/** `countersign triggers [ls|show|pause|resume]`. */
export function addTriggersCommand(program: Command): void {
  const triggers = program
    .command('triggers')
    .description(
      'list, pause and resume the triggers by which other systems start runs, and show how to call one',
    )
  addStartCommands(triggers, {
    kind: 'trigger',
    example: 'deploys',
    descriptions: {
      ls: 'list the triggers, each with its worker and its last run',
      show: 'show one trigger, with a command that calls it',
    },
    list: (service) => service.call('listTriggers', {}),
    columns,
    linesOf,
    change: (service, verb, name) =>
      service.call(verb === 'pause' ? 'pauseTrigger' : 'resumeTrigger', { params: { name } }),
    resumedText: () => 'Resumed. Its messages start runs again.',
  })
}

async function linesOf(
  trigger: Trigger,
  [name, worker, as, , , last = '']: readonly string[],
  service: Service,
): Promise<readonly string[]> {
  const { input } = await service.call('getWorker', { params: { name: trigger.worker } })
  const body = input === null ? { what: 'happened' } : inputExample(input)
  return [
    `trigger ${name} of ${worker}, as ${as === '' ? 'nobody' : as}`,
    last === '' ? 'no run yet' : `last run ${last}`,
    ...(trigger.paused ? ['It is paused: it refuses messages until it is resumed.'] : []),
    trigger.hasSecret
      ? 'It accepts messages that are signed (Standard Webhooks) with its secret, and calls with an API key:'
      : 'The service does not have its secret, so it accepts only calls with an API key:',
    '',
    `curl -X POST '${trigger.url}' \\`,
    `  -H "authorization: Bearer $COUNTERSIGN_API_KEY" -H 'content-type: application/json' \\`,
    `  -H 'idempotency-key: NAME-OF-THIS-MESSAGE' -d ${shellWord(jsonText(body))}`,
  ]
}

const columns: Columns<Trigger> = {
  name: ({ name }) => printableLine(name),
  worker: ({ worker }) => printableLine(worker),
  as: ({ as }) => printableLine(as?.name ?? ''),
  secret: ({ hasSecret }) => (hasSecret ? 'set' : 'missing'),
  state: ({ paused }) => (paused ? 'paused' : 'open'),
  'last run': ({ lastRun }) => lastRunText(lastRun),
}
