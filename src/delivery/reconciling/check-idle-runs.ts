import {
  type TaskFailure,
  recordRestart,
  markStalls,
  restartsOf,
  type Stall,
} from '#services/runs/stalls.ts'
import type { TemporalClient } from '../temporal-client.ts'
import type { Log, SystemContext } from '#services/core/context.ts'
import type { DeliveryContext } from '../outbox/deliver-rows.ts'
import { type WokenWorkflows, describeWorkflow, restartWorkflow } from './workflows.ts'
import { findIdleRuns, type IdleRun } from './find-idle-runs.ts'

const runsAtOnce = 500

/** After so many failed attempts in a row, the code of a workflow task is the cause. */
export const stalledAfterAttempts = 3
/** The most new workflows of a run in a day: if the code fails in these, it fails in others too. */
const maxRestarts = 3

/**
 * Checks the workflow of every run that should continue and does not. A run that waits for nothing
 * has lost its signal, or never got it, and is woken. A run whose tasks keep failing is shown as
 * stalled, with the reason, until it continues. The code may be unable to replay its history in
 * Temporal: if none of its activities runs, a new workflow is started from the store in its place,
 * a few times a day at most (security.md 31). `endedRuns`: those whose workflow has ended or is
 * missing.
 */
export async function checkIdleRuns(
  ctx: SystemContext,
  delivering: DeliveryContext,
  options: { readonly log: Log; readonly woken: WokenWorkflows; readonly stillSeconds: number },
): Promise<{
  readonly woken: readonly string[]
  readonly stalled: readonly string[]
  readonly endedRuns: readonly IdleRun[]
}> {
  const { temporal } = delivering
  const woken: string[] = []
  const endedRuns: IdleRun[] = []
  const stalls: Stall[] = []
  const unsure: string[] = []
  const restarting: { readonly stall: Stall; readonly workflow_id: string }[] = []
  const still = await findIdleRuns(ctx.db, { seconds: options.stillSeconds, maxRuns: runsAtOnce })
  for (const run of still) {
    const workflow = await describeWorkflow(temporal, run.workflow_id)
    if (workflow?.status !== 'RUNNING') {
      endedRuns.push(run)
      continue
    }
    if (workflow.taskAttempts >= stalledAfterAttempts) {
      const why = await whyTasksFail(temporal, run.workflow_id)
      const restarts = await restartsOf(ctx.db, run.id)
      const stall = { runId: run.id, attempts: workflow.taskAttempts, why, restarts }
      stalls.push(stall)
      if (!workflow.isBusy && restarts < maxRestarts) {
        restarting.push({ stall, workflow_id: run.workflow_id })
      }
    } else if (workflow.taskAttempts > 0) unsure.push(run.id)
    if (workflow.isIdle && (await options.woken.wake(temporal, run))) woken.push(run.id)
  }
  const stalled = await markStalls(ctx, stalls, unsure)
  for (const { runId, attempts, why } of stalled) {
    // Without `why.message`, which may quote what the run works on. The page of the run shows it.
    options.log.error({ runId, attempts, why: why.kind }, 'the workflow code fails on a run')
  }
  for (const { stall, workflow_id } of restarting) {
    await recordRestart(ctx, stall)
    await restartWorkflow(delivering, { id: stall.runId, workflow_id }, 'of_running')
    options.log.warn({ runId: stall.runId }, 'a workflow whose tasks failed was started again')
  }
  return { woken, stalled: stalled.map(({ runId }) => runId), endedRuns }
}

const eventsLookedAt = 50
const shownCharacters = 300

// Of Temporal's WorkflowTaskFailedCause, which is not part of the client: NON_DETERMINISTIC_ERROR;
// and UNHANDLED_COMMAND and FORCE_CLOSE_COMMAND, which the server sets itself if something arrives
// during a task.
const doesNotFit = 24
const serverCauses: ReadonlySet<number> = new Set([1, 17])

/**
 * Why the newest failed workflow task of a run failed, from its history. Rejects when Temporal does
 * not answer.
 */
async function whyTasksFail(temporal: TemporalClient, workflowId: string): Promise<TaskFailure> {
  const { history } = await temporal.withDeadline(() =>
    temporal.client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: temporal.namespace,
      execution: { workflowId },
      maximumPageSize: eventsLookedAt,
    }),
  )
  for (const { workflowTaskFailedEventAttributes: failed } of history?.events ?? []) {
    if (!failed || serverCauses.has(Number(failed.cause))) continue
    const text = failed.failure?.message ?? ''
    const message = text.replace(/\s+/g, ' ').trim().slice(0, shownCharacters).toWellFormed()
    const kind = Number(failed.cause) === doesNotFit ? 'does_not_fit' : 'fails'
    return { kind, message: message === '' ? null : message }
  }
  return { kind: 'unknown', message: null }
}
