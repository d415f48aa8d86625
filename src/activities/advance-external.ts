import { advanceExternal } from '../services/external/advance-external.ts'
import type { WorkerContext } from '../services/worker-context.ts'
import type { Activities } from '../workflows/activity-port.ts'

/** The deadline of a program's request, or its end: proposes to expire what is due; the row disposes. */
export function advanceExternalActivity(ctx: WorkerContext): Activities['advanceExternal'] {
  return (input) => advanceExternal(ctx, input)
}
