import type { Command } from 'commander'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { connect } from '../service/connect.ts'
import { printList } from '../service/print-list.ts'
import type { Service } from '../service/service.ts'
import {
  addList,
  type Columns,
  rowOf,
  withService,
  type JsonOptions,
} from '../service/service-options.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { printableLine } from '../text/terminal-text.ts'
import { fromNow } from '../text/times.ts'
import { withExamples } from './examples.ts'
import { jsonText } from '../terminal/json-text.ts'

/** The last run of a schedule or a trigger, in a few words; empty without one. */
export function lastRunText(lastRun: Schedule['lastRun']): string {
  return lastRun === undefined ? '' : `#${lastRun.number} ${lastRun.state} ${fromNow(lastRun.at)}`
}

/** The differences between the commands of schedules and those of triggers. */
interface StartCommands<Item> {
  readonly kind: 'schedule' | 'trigger'
  /** a name for the examples of the help */
  readonly example: string
  readonly descriptions: { readonly ls: string; readonly show: string }
  readonly list: (service: Service) => Promise<{ readonly items: readonly Item[] }>
  readonly columns: Columns<Item>
  /** the lines that show one of them, from its row */
  readonly linesOf: (
    item: Item,
    row: readonly string[],
    service: Service,
  ) => readonly string[] | Promise<readonly string[]>
  readonly change: (service: Service, verb: 'pause' | 'resume', name: string) => Promise<Item>
  /** what is printed when it starts runs again */
  readonly resumedText: (item: Item) => string
}

/** Adds `ls`, `show`, `pause` and `resume` to the commands of schedules or triggers. */
export function addStartCommands<Item extends { readonly name: string; readonly paused: boolean }>(
  group: Command,
  does: StartCommands<Item>,
): void {
  const { kind, example, descriptions, columns } = does
  const ls = addList(group)
    .description(descriptions.ls)
    .option('--json', 'print JSON')
    .action((options: JsonOptions) =>
      printList(options, {
        read: async (service) => ({ ...(await does.list(service)), nextCursor: null }),
        columns,
        empty: `There are no ${kind}s.`,
      }),
    )
  withExamples(ls, [`${kind}s`, `${kind}s ls --json`])
  const show = withService(group.command('show'))
    .description(descriptions.show)
    .argument('<name>', 'its name in countersign.yaml')
    .option('--json', 'print JSON')
    .action(async (name: string, options: JsonOptions) => {
      const service = await connect(options)
      const { items } = await does.list(service)
      const item = requireNamed(kind, name, items)
      if (options.json === true) return console.log(jsonText(item))
      console.log((await does.linesOf(item, rowOf(columns, item), service)).join('\n'))
    })
  withExamples(show, [`${kind}s show ${example}`, `${kind}s show ${example} --json`])
  addPauseCommands(group, does)
}

/** The schedule or trigger of this name. Throws a failure that says how to list them. */
function requireNamed<Item extends { readonly name: string }>(
  kind: 'schedule' | 'trigger',
  name: string,
  items: readonly Item[],
): Item {
  const item = items.find((one) => one.name === name)
  if (item !== undefined) return item
  const text = `There is no ${kind} ${printableLine(name)}; countersign ${kind}s lists them`
  throw new CommandFailure(text, exitCodes.failed)
}

function addPauseCommands<Item extends { readonly paused: boolean }>(
  group: Command,
  does: StartCommands<Item>,
): void {
  const { kind, example, change, resumedText } = does
  const says = {
    pause: `pause a ${kind} until it is resumed`,
    resume: `let a paused ${kind} start runs again`,
  }
  for (const verb of ['pause', 'resume'] as const) {
    const command = withService(group.command(verb))
      .description(says[verb])
      .argument('<name>', 'its name in countersign.yaml')
      .option('--json', 'print JSON')
      .action(async (name: string, options: JsonOptions) => {
        const item = await change(await connect(options), verb, name)
        if (options.json === true) return console.log(jsonText(item))
        console.log(item.paused ? 'Paused.' : resumedText(item))
      })
    withExamples(command, [`${kind}s ${verb} ${example}`])
  }
}
