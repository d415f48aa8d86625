import { Context } from '@temporalio/activity'
import { isStoredId } from '#domain/requests/reference-forms.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { settleUnknown } from '#services/engine/executions/settle-unknown.ts'
import { beginRun } from '#services/engine/lifecycle/begin-run.ts'
import { closeRun } from '#services/engine/lifecycle/close-run.ts'
import { enterManualResult } from '#services/engine/manual-calls/enter-result.ts'
import { advanceExternal } from '#services/external/advance-external.ts'
import { executeGatewayCall } from '#services/gateway/execute-gateway-call.ts'
import { settleGatewayCall } from '#services/gateway/settle-gateway-call.ts'
import { advanceRequests } from '#services/requests/ending/advance-requests.ts'
import { recordScheduledTime } from '#services/runs/schedules/record-scheduled-time.ts'
import { recordForgedActivity } from '#services/runs/record-forged-activity.ts'
import { gatewayWorkflowIdOf } from '#delivery/outbox/start-for-request.ts'
import type { Activities, DatabaseActivities } from '#workflows/activity-port.ts'
import type { CallPreparations } from './call-preparations.ts'
import { executeCallActivity } from './execute-call.ts'
import { judgeCallActivity } from './judge-call.ts'
import { takeTurnActivity, takeTurnHereActivity } from './take-turn.ts'
import type { TurnSlots } from './turn-slots.ts'
import { withHeartbeat } from './with-heartbeat.ts'

/**
 * The activities as a Temporal worker registers them: those of the run's own queue, and separately
 * those of the queue of turns. Each passes its input to one verb of the services, which judges it
 * by the rows.
 */
export function createActivities(
  ctx: WorkerContext,
  slots: TurnSlots,
  preparations: CallPreparations,
): {
  readonly executions: Activities
  readonly turns: DatabaseActivities & Pick<Activities, 'takeTurn'>
} {
  const database: DatabaseActivities = {
    beginRun: recordingForgeries(ctx, 'beginRun', (input) => beginRun(ctx, input)),
    settleUnknown: recordingForgeries(ctx, 'settleUnknown', (input) => settleUnknown(ctx, input)),
    advanceRequests: recordingForgeries(ctx, 'advanceRequests', (input) =>
      advanceRequests(ctx, input),
    ),
    advanceExternal: (input) => advanceExternal(ctx, input),
    settleGatewayCall: ofItsWorkflow(ctx, { again: false }, (input) =>
      settleGatewayCall(ctx, input),
    ),
    enterManualResult: recordingForgeries(ctx, 'enterManualResult', (input) =>
      enterManualResult(ctx, input),
    ),
    closeRun: recordingForgeries(ctx, 'closeRun', (input) => closeRun(ctx, input)),
    noteScheduledTime: (input) => recordScheduledTime(ctx, input),
  }
  return {
    executions: {
      ...database,
      executeCall: recordingForgeries(
        ctx,
        'executeCall',
        executeCallActivity(ctx, slots, preparations),
      ),
      takeTurn: recordingForgeries(ctx, 'takeTurn', takeTurnHereActivity(ctx, slots)),
      executeGatewayCall: ofItsWorkflow(ctx, undefined, (input) =>
        withHeartbeat((signal) => executeGatewayCall(ctx, { ...input, signal })),
      ),
      judgeCall: judgeCallActivity(ctx),
    },
    turns: { ...database, takeTurn: recordingForgeries(ctx, 'takeTurn', takeTurnActivity(ctx)) },
  }
}

/**
 * Records an activity of a run that was scheduled by a workflow other than the run's own
 * (security.md 14, 33). The store judges it as any other: a call that waits is not carried out.
 */
function recordingForgeries<
  Input extends { readonly runId: string } | { readonly callId: string },
  Output,
>(
  ctx: WorkerContext,
  name: keyof Activities,
  activity: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    const output = await activity(input)
    const { workflowExecution } = Context.current().info
    // A call that was approved and carried out once is no refused attempt, even if it was scheduled
    // by hand.
    if (!isDone(output)) {
      await recordForgedActivity(ctx, {
        activity: name,
        subject: input,
        workflowId: workflowExecution?.workflowId ?? null,
      })
    }
    return output
  }
}

/**
 * An activity of a gateway call. Only the workflow with the call's own id gets it done. Somebody
 * started any other workflow by hand, and could have a call settled as lost that is being made
 * (security.md 14): it gets the answer `leftOut`, and the trail records its activity (33).
 */
function ofItsWorkflow<Input extends { readonly requestId: string }, Output>(
  ctx: WorkerContext,
  leftOut: Output,
  activity: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    const { activityType, workflowExecution } = Context.current().info
    const workflowId = workflowExecution?.workflowId ?? null
    const { requestId } = input
    if (isStoredId(requestId) && workflowId === gatewayWorkflowIdOf(requestId))
      return activity(input)
    await recordForgedActivity(ctx, { activity: activityType, subject: { requestId }, workflowId })
    return leftOut
  }
}

function isDone(output: unknown): boolean {
  return typeof output === 'object' && output !== null && 'kind' in output && output.kind === 'done'
}
