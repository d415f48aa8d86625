import { sql } from 'kysely'
import type { Log, SystemContext } from '#services/core/context.ts'
import { loseRun } from '#services/engine/lifecycle/lose-run.ts'
import { type DeliveryContext, startRunWorkflow } from '../outbox/deliver-rows.ts'
import {
  describeWorkflow,
  restartWorkflow,
  endedWorkflows,
  runningWorkflows,
  type WokenWorkflows,
} from './workflows.ts'
import { checkIdleRuns } from './check-idle-runs.ts'

/** Younger runs are skipped: their start may still be on its way. */
const settleAfterSeconds = 10
const runsAtOnce = 500

/** What a round repaired, by run ids. */
export interface ReconciledRuns {
  readonly startedAgain: readonly string[]
  readonly lost: readonly string[]
  /** runs that rest but wait for nobody, and ended ones whose workflow runs again */
  readonly woken: readonly string[]
  readonly stalled: readonly string[]
}

interface OpenRun {
  readonly id: string
  readonly workflow_id: string
}

/**
 * Compares runs with Temporal's workflows (architecture.md, never more certain than the facts). A
 * missing workflow is started again; if Temporal's list, which lags behind, still has it, once the
 * run should continue. A workflow behind its run (a Temporal restored from an older copy) is woken
 * and reads the store. A run fails with `workflow_lost` only when Temporal says that its workflow
 * was terminated. When Temporal does not answer, nothing changes. Call it under the reconciler's
 * lock.
 */
export async function reconcileRuns(
  ctx: SystemContext,
  delivering: DeliveryContext,
  options: { readonly log: Log; readonly woken: WokenWorkflows; readonly stillSeconds: number },
): Promise<ReconciledRuns> {
  await delivering.guard.confirm()
  const { log, woken } = options
  const running = await runningWorkflows(delivering.temporal)
  const startedAgain: string[] = []
  const lostRuns: string[] = []
  for (let after = ''; ;) {
    const runs = await openRuns(ctx, after)
    for (const run of runs) {
      if (!running.has(run.workflow_id)) await reconcile(run)
    }
    const last = runs.at(-1)
    if (last === undefined || runs.length < runsAtOnce) break
    after = last.id
  }
  const revived: string[] = []
  for (const run of await endedWorkflows(ctx.db, running)) {
    if (await woken.wake(delivering.temporal, { ...run, fact: 'ended' })) revived.push(run.id)
  }
  const moved = await checkIdleRuns(ctx, delivering, options)
  for (const run of moved.endedRuns) {
    if (running.has(run.workflow_id)) await reconcile(run)
  }
  for (const runId of [...revived, ...moved.woken])
    log.warn({ runId }, 'a workflow that lagged behind its run was signalled')
  return {
    startedAgain,
    lost: lostRuns,
    woken: [...revived, ...moved.woken],
    stalled: moved.stalled,
  }

  async function reconcile(run: OpenRun): Promise<void> {
    const outcome = await reconcileRun(ctx, delivering, run)
    if (outcome === 'lost') lostRuns.push(run.id)
    if (outcome === 'started_again') startedAgain.push(run.id)
    if (outcome !== 'alive') log.warn({ runId: run.id, found: outcome }, 'a run had no workflow')
  }
}

async function openRuns(ctx: SystemContext, after: string): Promise<OpenRun[]> {
  let query = ctx.db
    .selectFrom('run')
    .select(['id', 'workflow_id'])
    .where('ended_at', 'is', null)
    .where(
      'created_at',
      '<',
      sql<Date>`clock_timestamp() - ${settleAfterSeconds} * interval '1 second'`,
    )
    .orderBy('id')
    .limit(runsAtOnce)
  if (after !== '') query = query.where('id', '>', after)
  return query.execute()
}

async function reconcileRun(
  ctx: SystemContext,
  delivering: DeliveryContext,
  run: OpenRun,
): Promise<'alive' | 'started_again' | 'lost'> {
  const workflow = await describeWorkflow(delivering.temporal, run.workflow_id)
  switch (workflow?.status) {
    case 'RUNNING':
    case 'PAUSED':
    case 'CONTINUED_AS_NEW':
      return 'alive'
    case 'TERMINATED':
      await loseRun(ctx, { runId: run.id })
      return 'lost'
    case undefined:
      return (await startRunWorkflow(delivering, run)) === 'refused' ? 'alive' : 'started_again'
    default: {
      // The workflow ended but the run has not, for instance because Postgres was away: start a new
      // workflow, which continues from the stored state.
      await restartWorkflow(delivering, run, 'of_ended')
      return 'started_again'
    }
  }
}
