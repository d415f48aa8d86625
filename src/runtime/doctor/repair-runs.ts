import { NamespaceGuard } from '#delivery/namespace-guard.ts'
import { reconcileRuns } from '#delivery/reconciling/reconcile-runs.ts'
import { underReconcilerLock } from '#delivery/reconciling/reconciler.ts'
import {
  orphanWorkflows,
  runningWorkflows,
  WokenWorkflows,
} from '#delivery/reconciling/workflows.ts'
import type { TemporalClient } from '#delivery/temporal-client.ts'
import { isSigned } from '#services/engine/lifecycle/admit-run.ts'
import { type Environment, readText } from '../environment.ts'
import { defaultTaskQueue } from '../config/config.ts'
import type { SystemContext } from '#services/core/context.ts'

/**
 * Reconciles runs and workflows, as the reconciler does, and also wakes workflows without a run.
 * Returns what was done.
 */
export async function repairRuns(
  ctx: SystemContext,
  temporal: TemporalClient,
  environment: Environment,
): Promise<string[]> {
  const { db, log } = ctx
  const taskQueue = readText(environment, 'COUNTERSIGN_TASK_QUEUE') ?? defaultTaskQueue
  const guard = new NamespaceGuard({ db, temporal })
  // This process cannot sign: the service starts a delegated run that was never started.
  const admit = (runId: string): Promise<boolean> => isSigned(ctx, runId)
  const delivering = { db, temporal, taskQueue, guard, admit }
  const woken = new WokenWorkflows()
  const actions: string[] = []
  const wasFree = await underReconcilerLock(db, async () => {
    const mended = await reconcileRuns(ctx, delivering, { log, woken, stillSeconds: 0 })
    say(mended.startedAgain.length, 'started again from their state in Postgres')
    say(mended.lost.length, 'failed, since Temporal says that their workflow was terminated')
    say(mended.woken.length, 'woken, to read their state')
    let orphans = 0
    for (const id of await orphanWorkflows(db, await runningWorkflows(temporal))) {
      if (await woken.wake(temporal, { id, workflow_id: id, fact: 'no run' })) orphans += 1
    }
    if (orphans > 0) actions.push(`workflows without a run that were woken, to end: ${orphans}`)
  })
  if (!wasFree)
    actions.push('the API is comparing runs with Temporal at this moment, and repairs them')
  return actions

  function say(count: number, what: string): void {
    if (count > 0) actions.push(`runs ${what}: ${count}`)
  }
}
