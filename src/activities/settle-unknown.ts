import { settleUnknown } from '../services/executions/settle-unknown.ts'
import type { WorkerContext } from '../services/worker-context.ts'
import type { Activities } from '../workflows/activity-port.ts'

/** An execution's activity failed or timed out: the row says whether the effect may have happened. */
export function settleUnknownActivity(ctx: WorkerContext): Activities['settleUnknown'] {
  return (input) => settleUnknown(ctx, input)
}
