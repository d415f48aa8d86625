import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { printableLine } from '../text/terminal-text.ts'
import { fromNow } from '../text/times.ts'

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
