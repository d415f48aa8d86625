import type { WorkerContext } from '../../core/worker-context.ts'
import type { HeldStart, ReadyCall } from './prepare-call.ts'
import { startExecution } from './start-execution.ts'

/**
 * Begins the start of a prepared call whose activity is about to begin: locks, reads and judges,
 * and then waits in its transaction, at most `maxMs`. Nothing is written before `record` is called.
 * An activity that begins later, or in another process, finds nothing of this start.
 */
export function holdStart(ctx: WorkerContext, { at, plan }: ReadyCall, maxMs: number): HeldStart {
  const wish = Promise.withResolvers<void>()
  /** whether it still waits, so that it can be recorded, once */
  let isHeld = true
  const timer = setTimeout(() => {
    isHeld = false
    wish.reject(new Error('The activity of a prepared call did not begin in time'))
  }, maxMs)
  const start = startExecution(ctx, at, plan, {
    delegation: null,
    untilWanted: () => wish.promise,
  })
  // Nobody waits for them yet.
  wish.promise.catch(() => undefined)
  const end = start
    .catch(() => undefined)
    .then(() => {
      isHeld = false
      clearTimeout(timer)
    })
  return {
    ended: end,
    record() {
      if (!isHeld) return startExecution(ctx, at, plan, { delegation: null })
      isHeld = false
      clearTimeout(timer)
      wish.resolve()
      return start
    },
  }
}
