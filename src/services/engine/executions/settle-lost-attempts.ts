import type { WorkerContext } from '../../core/worker-context.ts'
import { settleAttempt } from './settle-unknown.ts'

/**
 * Settles the attempts that a process started and did not end, once it is certain that the process
 * is gone, and before Temporal misses its heartbeats. Each becomes `unknown` and people get an
 * outcome check, or the call is repeated (settleAttempt). The workflow finds the attempt settled.
 * Returns whether all are settled. Failures are logged, and left to the workflow.
 */
export async function settleLostAttempts(ctx: WorkerContext, executor: string): Promise<boolean> {
  const started = await ctx.db
    .selectFrom('execution')
    .select(['call_id', 'attempt'])
    .where('state', '=', 'started')
    .where('executor', '=', executor)
    .execute()
  let all = true
  for (const { call_id: callId, attempt } of started) {
    try {
      await settleAttempt(ctx, { callId, attempt })
      ctx.log.warn({ callId }, 'a call was cut off by the end of its process')
    } catch (error) {
      all = false
      ctx.log.error({ callId, err: error }, 'a call that was cut off could not be settled')
    }
  }
  return all
}
