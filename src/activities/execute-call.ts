import { executeCall } from '../services/executions/execute-call.ts'
import type { WorkerContext } from '../services/worker-context.ts'
import type { Activities } from '../workflows/activity-port.ts'
import { withHeartbeat } from './stop-signal.ts'

/** Carries out one call, once, or answers for what it finds instead. */
export function executeCallActivity(ctx: WorkerContext): Activities['executeCall'] {
  return (input) => withHeartbeat((signal) => executeCall(ctx, { ...input, signal }))
}
