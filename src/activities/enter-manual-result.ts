import { enterManualResult } from '../services/manual-calls/enter-result.ts'
import type { WorkerContext } from '../services/worker-context.ts'
import type { Activities } from '../workflows/activity-port.ts'

/** Puts the result of a person's call into the transcript, once. */
export function enterManualResultActivity(ctx: WorkerContext): Activities['enterManualResult'] {
  return (input) => enterManualResult(ctx, input)
}
