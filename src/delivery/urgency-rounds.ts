import { moveUrgent } from '#services/requests/lists/move-urgent.ts'
import type { SystemContext } from '#services/core/context.ts'
import { RepeatedWork, warnWith } from './repeated-work.ts'

/** How late a request is moved after it has left a class of deadline. */
const everyMs = 20_000

/** Updates the order by urgency while time passes. Every API process runs it. */
export function repeatUrgencyRounds(ctx: SystemContext): RepeatedWork {
  return new RepeatedWork({
    everyMs,
    work: async () => {
      while ((await moveUrgent(ctx.db)).more);
    },
    onError: warnWith(ctx.log, 'a round of the order by urgency failed; the next one goes on'),
  })
}
