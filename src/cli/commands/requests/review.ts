import type { Command } from 'commander'
import { askDecision, sendChoice } from '../../decide/ask-decision.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { isInteractive } from '../../terminal/interactive.ts'
import { connect } from '../../service/connect.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'

/** `countersign review`: walks what you may decide, one request after the other. */
export function addReviewCommand(program: Command): void {
  const command = withService(program.command('review'))
    .description('walk the queue in the terminal, one request after the other')
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
  const seen = new Set<string>()
  let decided = 0
  for (;;) {
    const query = { mine: 'true', state: 'pending', queue: options.queue }
    const list = await service.call('listRequests', { query })
    const item = list.items.find((one) => !seen.has(one.id))
    if (item === undefined) {
      console.log(
        `No more requests wait for you. ${decided} decided, ${seen.size - decided} left undecided.`,
      )
      return
    }
    const request = await service.call('getRequest', { params: { id: item.id } })
    const choice = await askDecision(service, request)
    if (choice === 'quit') return
    seen.add(item.id)
    if (choice === 'skip') continue
    try {
      console.log(await sendChoice(service, request, choice))
      decided += 1
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      console.error(error.message)
    }
  }
}
