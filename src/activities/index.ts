import type { WorkerContext } from '../services/worker-context.ts'
import type { Activities } from '../workflows/activity-port.ts'
import { advanceExternalActivity } from './advance-external.ts'
import { advanceRequestsActivity } from './advance-requests.ts'
import { beginRunActivity } from './begin-run.ts'
import { closeRunActivity } from './close-run.ts'
import { enterManualResultActivity } from './enter-manual-result.ts'
import { executeCallActivity } from './execute-call.ts'
import { judgeCallActivity } from './judge-call.ts'
import { settleUnknownActivity } from './settle-unknown.ts'
import { takeTurnActivity } from './take-turn.ts'

/** The activities as a Temporal worker registers them: those of the run's own queue, and model turns apart. */
export function createActivities(ctx: WorkerContext): {
  readonly executions: Omit<Activities, 'takeTurn'>
  readonly turns: Pick<Activities, 'takeTurn'>
} {
  return {
    executions: {
      beginRun: beginRunActivity(ctx),
      executeCall: executeCallActivity(ctx),
      settleUnknown: settleUnknownActivity(ctx),
      advanceRequests: advanceRequestsActivity(ctx),
      advanceExternal: advanceExternalActivity(ctx),
      enterManualResult: enterManualResultActivity(ctx),
      closeRun: closeRunActivity(ctx),
      judgeCall: judgeCallActivity(ctx),
    },
    turns: { takeTurn: takeTurnActivity(ctx) },
  }
}
