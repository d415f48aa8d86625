import { beginRun } from '../services/runs/starting/begin-run.ts'
import type { WorkerContext } from '../services/worker-context.ts'
import type { Activities } from '../workflows/activity-port.ts'

/** Where a run stands when its workflow is started for the first time, or once more. */
export function beginRunActivity(ctx: WorkerContext): Activities['beginRun'] {
  return (input) => beginRun(ctx, input)
}
