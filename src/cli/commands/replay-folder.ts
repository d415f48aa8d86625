import { countWords } from '#domain/text/quantities/count-words.ts'
import type { PolicyReplay } from '#api/schemas/policy/replay.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { isInteractive } from '../terminal/interactive.ts'
import type { Service } from '../service/service.ts'
import { dim } from '../text/colour.ts'

/** Past calls under the folder's version: all pages of a replay. */
export type ReplayedCalls = Omit<PolicyReplay, 'nextCursor'>

/**
 * Judges past calls under the folder's version, page by page, and prints the progress at a
 * terminal. Rejects when the folder changes in the meantime.
 */
export async function replayFolder(
  service: Service,
  since: string | undefined,
): Promise<ReplayedCalls> {
  const items: PolicyReplay['items'] = []
  const notJudged: PolicyReplay['notJudged'] = []
  let count = 0
  let cursor: string | null = null
  let digest = ''
  do {
    const body: Record<string, string> = {
      ...(since === undefined ? {} : { since }),
      ...(cursor === null ? {} : { cursor }),
    }
    const page: PolicyReplay = await service.call('replayPolicy', { body })
    if (digest !== '' && digest !== page.digest) {
      throw new CommandFailure('The project folder changed in the meantime: start again.')
    }
    digest = page.digest
    count += page.judged
    items.push(...page.items)
    notJudged.push(...page.notJudged)
    cursor = page.nextCursor
    if (isInteractive()) console.error(dim(`${countWords(count, 'call')} judged`))
  } while (cursor !== null)
  return { digest, judged: count, items, notJudged }
}
