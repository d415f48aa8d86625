import type { Command } from 'commander'
import { decideByKey } from '../../decide/decide-by-key.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { bold } from '../../text/colour.ts'
import { isInteractive } from '../../terminal/interactive.ts'
import { connect } from '../../service/connect.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'

/** `countersign review`: shows one request after the other that you may decide. */
export function addReviewCommand(program: Command): void {
  const command = withService(program.command('review'))
    .description('decide the requests that wait for you in the terminal, one after the other')
    .option('--queue <name>', 'only this queue')
    .action(review)
  withExamples(command, ['review', 'review --queue platform --as grace@example.com'])
}

async function review(options: ServiceOptions & { queue?: string }): Promise<void> {
  if (!isInteractive()) {
    throw new CommandFailure(
      'review needs a terminal; elsewhere use: countersign requests ls --mine, and approve or deny with --digest',
      exitCodes.usage,
    )
  }
  const service = await connect(options)
  const reviewedIds = new Set<string>()
  let decided = 0
  for (;;) {
    const query = { mine: 'true', state: 'pending', queue: options.queue }
    const list = await service.call('listRequests', { query })
    const openItems = list.items.filter((one) => !reviewedIds.has(one.id))
    const [item] = openItems
    if (item === undefined) {
      console.log(
        `No more requests wait for you. ${decided} decided, ${reviewedIds.size - decided} left undecided.`,
      )
      return
    }
    const request = await service.call('getRequest', { params: { id: item.id } })
    const more = list.nextCursor === null ? '' : ' or more'
    console.log(
      bold(`\nRequest ${reviewedIds.size + 1} of ${reviewedIds.size + openItems.length}${more}`),
    )
    const outcome = await decideByKey(service, request)
    if (outcome === 'quit') {
      console.log(`${decided} decided, ${openItems.length} left undecided.`)
      return
    }
    reviewedIds.add(item.id)
    if (outcome === 'decided') decided += 1
  }
}
