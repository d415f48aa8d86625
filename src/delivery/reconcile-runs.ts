import { sql } from 'kysely'
import { WorkflowIdReusePolicy, WorkflowNotFoundError } from '@temporalio/client'
import type { Log, ServiceContext } from '../services/context.ts'
import { loseRun } from '../services/runs/lose-run.ts'
import type { RunPosition } from '../workflows/run-position.ts'
import { type Delivering, startRun } from './deliver-rows.ts'

/** Young runs are left alone: their start may be on its way. */
const settleAfterSeconds = 10
const runsAtOnce = 500

export interface Reconciled {
  readonly looked: number
  readonly startedAgain: number
  readonly lost: number
}

interface OpenRun {
  readonly id: string
  readonly workflow_id: string
}

/**
 * Compares the runs that have not ended with Temporal's workflows. A missing workflow is started again; a run is
 * `failed (workflow_lost)` only when Temporal says that its workflow was terminated. Whatever Temporal does not
 * answer is left as it is. One process at a time; call it under `reconcilerLock`.
 */
export async function reconcileRuns(
  ctx: ServiceContext,
  delivering: Delivering,
  log: Log,
): Promise<Reconciled> {
  await delivering.guard.confirm()
  const running = await runningWorkflows(delivering)
  let looked = 0
  let startedAgain = 0
  let lost = 0
  for (let after = ''; ;) {
    const runs = await openRuns(ctx, after)
    for (const run of runs) {
      looked += 1
      if (running.has(run.workflow_id)) continue
      const found = await reconcileRun(ctx, delivering, run)
      if (found === 'lost') lost += 1
      if (found === 'started_again') startedAgain += 1
      if (found !== 'alive') log.warn({ runId: run.id, found }, 'a run had no workflow')
    }
    const last = runs.at(-1)
    if (last === undefined || runs.length < runsAtOnce) return { looked, startedAgain, lost }
    after = last.id
  }
}

async function runningWorkflows(delivering: Delivering): Promise<Set<string>> {
  const ids = new Set<string>()
  const query = "WorkflowType = 'agentRun' AND ExecutionStatus = 'Running'"
  for await (const workflow of delivering.temporal.client.workflow.list({ query })) {
    ids.add(workflow.workflowId)
  }
  return ids
}

async function openRuns(ctx: ServiceContext, after: string): Promise<OpenRun[]> {
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
  ctx: ServiceContext,
  delivering: Delivering,
  run: OpenRun,
): Promise<'alive' | 'started_again' | 'lost'> {
  const { temporal } = delivering
  const status = await statusOf(delivering, run.workflow_id)
  switch (status) {
    case 'RUNNING':
    case 'PAUSED':
    case 'CONTINUED_AS_NEW':
      return 'alive'
    case 'TERMINATED':
      await loseRun(ctx, { runId: run.id })
      return 'lost'
    case null:
      await startRun(delivering, run)
      return 'started_again'
    default: {
      // It ended while the run goes on, for instance because Postgres was away: a fresh one reads where it stands.
      const position: RunPosition = { runId: run.id }
      await temporal.withDeadline(() =>
        temporal.client.workflow.start('agentRun', {
          workflowId: run.workflow_id,
          taskQueue: delivering.taskQueue,
          args: [position],
          workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        }),
      )
      return 'started_again'
    }
  }
}

async function statusOf(delivering: Delivering, workflowId: string): Promise<string | null> {
  const { temporal } = delivering
  try {
    const described = await temporal.withDeadline(() =>
      temporal.client.workflow.getHandle(workflowId).describe(),
    )
    return described.status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null
    throw error
  }
}
