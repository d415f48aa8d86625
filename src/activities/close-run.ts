import { closeRun } from '../services/runs/ending/close-run.ts'
import type { WorkerContext } from '../services/worker-context.ts'
import type { Activities } from '../workflows/activity-port.ts'

/** Completes a run, unless a message came that no turn has read. */
export function closeRunActivity(ctx: WorkerContext): Activities['closeRun'] {
  return (input) => closeRun(ctx, input)
}
