import type { Command } from 'commander'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { connect } from '../service/connect.ts'
import type { Service } from '../service/service.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { printableLine } from '../text/terminal-text.ts'
import { fromNow } from '../text/times.ts'
import { withExamples } from './examples.ts'

/** The last run of a schedule or a trigger, in a few words; empty without one. */
export function lastRunText(lastRun: Schedule['lastRun']): string {
  return lastRun === undefined ? '' : `#${lastRun.number} ${lastRun.state} ${fromNow(lastRun.at)}`
}

/** The schedule or trigger of this name. Throws a failure that says how to list them. */
export function requireNamed<Item extends { readonly name: string }>(
  kind: 'schedule' | 'trigger',
  name: string,
  items: readonly Item[],
): Item {
  const item = items.find((one) => one.name === name)
  if (item !== undefined) return item
  const text = `There is no ${kind} ${printableLine(name)}; countersign ${kind}s lists them`
  throw new CommandFailure(text, exitCodes.failed)
}

/** Adds `pause` and `resume` to the commands of schedules or triggers. */
export function addPauseCommands<Item extends { readonly paused: boolean }>(
  group: Command,
  does: {
    readonly kind: 'schedule' | 'trigger'
    readonly example: string
    readonly change: (service: Service, verb: 'pause' | 'resume', name: string) => Promise<Item>
    /** what is printed when it starts runs again */
    readonly resumedText: (item: Item) => string
  },
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
      .action(async (name: string, options: ServiceOptions & { json?: boolean }) => {
        const item = await change(await connect(options), verb, name)
        if (options.json === true) return console.log(JSON.stringify(item))
        console.log(item.paused ? 'Paused.' : resumedText(item))
      })
    withExamples(command, [`${kind}s ${verb} ${example}`])
  }
}
