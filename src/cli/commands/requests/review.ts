import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { decideByKey } from '../../decide/decide-by-key.ts'
import { nullIfUnreachable } from '../../decide/request-keys.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { bold, dim } from '../../text/colour.ts'
import { isInteractive } from '../../terminal/interactive.ts'
import { isInterrupt, Keyboard } from '../../terminal/keyboard.ts'
import { connect } from '../../service/connect.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'

interface ReviewOptions extends ServiceOptions {
  readonly queue?: string
  readonly watch?: boolean
}

const pollEveryMs = 1_000

/** `countersign review`: shows one request after the other that you may decide. */
export function addReviewCommand(program: Command): void {
  const command = withService(program.command('review'))
    .description('decide the requests that wait for you in the terminal, one after the other')
    .option('--queue <name>', 'only this queue')
    .option('--watch', 'then wait for the next request, until you quit')
    .action(review)
  withExamples(command, [
    'review',
    'review --watch',
    'review --queue platform --as grace@example.com',
  ])
}

async function review(options: ReviewOptions): Promise<void> {
  if (!isInteractive()) {
    throw new CommandFailure(
      'review needs a terminal; elsewhere use: countersign requests ls --mine, and approve or deny with --digest',
      exitCodes.usage,
    )
  }
  const service = await connect(options)
  const reviewedIds = new Set<string>()
  let decided = 0
  const query = { mine: 'true', state: 'pending', queue: options.queue }
  /** Of the first page with a request that was not reviewed here; of the last one, if none has. */
  const loadPending = async () => {
    let cursor: string | undefined
    for (;;) {
      const list = await service.call('listRequests', { query: { ...query, cursor } })
      const openItems = list.items.filter((one) => !reviewedIds.has(one.id))
      const more = list.nextCursor === null ? '' : ' or more'
      if (openItems.length > 0 || list.nextCursor === null) return { openItems, more }
      cursor = list.nextCursor
    }
  }
  for (;;) {
    const { openItems, more } = await loadPending()
    const [item] = openItems
    if (item === undefined) {
      const isNext =
        options.watch === true &&
        (await untilNext(async () => (await loadPending()).openItems.length > 0))
      if (isNext) continue
      console.log(
        `No more requests wait for you. ${decided} decided, ${reviewedIds.size - decided} left undecided.`,
      )
      return
    }
    const request = await service.call('getRequest', { params: { id: item.id } })
    console.log(
      bold(`\nRequest ${reviewedIds.size + 1} of ${reviewedIds.size + openItems.length}${more}`),
    )
    const outcome = await decideByKey(service, request)
    if (outcome === 'quit') {
      const undecided = reviewedIds.size - decided + openItems.length
      console.log(`${decided} decided, ${undecided}${more} left undecided.`)
      return
    }
    reviewedIds.add(item.id)
    if (outcome === 'decided') decided += 1
  }
}

/** Polls until there is a request, also while the service restarts. False: the person quits. */
async function untilNext(isPending: () => Promise<boolean>): Promise<boolean> {
  console.log(dim('No request waits for you. The next one is shown here; q quits.'))
  using keyboard = new Keyboard(() => process.exit(exitCodes.done))
  for (;;) {
    await Promise.race([keyboard.untilPressed(), delay(pollEveryMs)])
    if (keyboard.take().some((key) => key.text === 'q' || isInterrupt(key))) return false
    if ((await isPending().catch(nullIfUnreachable)) === true) return true
  }
}
