import { advanceRequests } from '../services/runs/advance-requests.ts'
import type { WorkerContext } from '../services/worker-context.ts'
import type { Activities } from '../workflows/activity-port.ts'

/** A deadline passed: proposes to expire what is due; the rows dispose. */
export function advanceRequestsActivity(ctx: WorkerContext): Activities['advanceRequests'] {
  return (input) => advanceRequests(ctx, input)
}
