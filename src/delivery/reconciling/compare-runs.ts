import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import { describeWorkflow, endedWorkflows, orphanWorkflows, runningWorkflows } from './workflows.ts'
import { stalledAfterAttempts } from './check-idle-runs.ts'
import { findIdleRuns } from './find-idle-runs.ts'
import type { TemporalClient } from '../temporal-client.ts'

/**
 * Where runs and workflows disagree, by run ids (`orphans`: workflow ids). They agree when all
 * lists are empty.
 */
export interface Comparison {
  readonly open: number
  /** runs whose workflow is missing or has ended */
  readonly missing: readonly string[]
  /** ended runs whose workflow still runs */
  readonly revived: readonly string[]
  /** workflows without a run in Postgres */
  readonly orphans: readonly string[]
  /** runs that wait for nobody and whose workflow waits for a signal */
  readonly still: readonly string[]
  /** runs whose workflow tasks fail again and again */
  readonly stalled: readonly string[]
}

/** Compares Postgres with Temporal, without a change. Rejects if one does not answer. */
export async function compareRuns(
  db: Db,
  temporal: TemporalClient,
  limits: { readonly stillSeconds: number; readonly maxRuns: number },
): Promise<Comparison> {
  const { stillSeconds: seconds, maxRuns } = limits
  const running = await runningWorkflows(temporal)
  const unlisted = await openRunsOutside(db, running, maxRuns)
  const missing: string[] = []
  for (const run of unlisted.runs) {
    const workflow = await describeWorkflow(temporal, run.workflow_id)
    // Temporal's list lags behind, so a workflow that runs may not be in it yet.
    if (workflow === null || workflow.status !== 'RUNNING') missing.push(run.id)
  }
  const still: string[] = []
  const stalled: string[] = []
  for (const run of await findIdleRuns(db, { seconds, maxRuns })) {
    const workflow = await describeWorkflow(temporal, run.workflow_id)
    if (workflow?.status !== 'RUNNING') continue
    if (workflow.taskAttempts >= stalledAfterAttempts) stalled.push(run.id)
    else if (workflow.isIdle) still.push(run.id)
  }
  return {
    open: unlisted.open,
    missing,
    revived: (await endedWorkflows(db, running)).map((run) => run.id),
    orphans: await orphanWorkflows(db, running),
    still,
    stalled,
  }
}

async function openRunsOutside(
  db: Db,
  running: ReadonlySet<string>,
  maxRuns: number,
): Promise<{ open: number; runs: { id: string; workflow_id: string }[] }> {
  const total = await sql<{ open: number }>`
    select count(*)::int as open from run where ended_at is null
  `.execute(db)
  const { rows } = await sql<{ id: string; workflow_id: string }>`
    select id, workflow_id from run
    where ended_at is null and created_at < clock_timestamp() - interval '10 seconds'
      and workflow_id <> all(${[...running]})
      and not exists (
        select from outbox
        where outbox.run_id = run.id and delivered_at is null and undeliverable_at is null
      )
    order by id limit ${maxRuns}
  `.execute(db)
  return { open: total.rows[0]?.open ?? 0, runs: rows }
}
