import { sql } from 'kysely'
import type { Db } from '../../store/database.ts'
import type { TemporalClient } from '../temporal-client.ts'

/** A run that ended this long ago has had the time to end its workflow. */
const endsWithinSeconds = 15

/** Ids of the workflows of runs that Temporal knows as running. */
export async function runningWorkflows(temporal: TemporalClient): Promise<Set<string>> {
  const ids = new Set<string>()
  const query = "WorkflowType = 'agentRun' AND ExecutionStatus = 'Running'"
  for await (const workflow of temporal.client.workflow.list({ query })) {
    ids.add(workflow.workflowId)
  }
  return ids
}

/** Runs that have ended although their workflow runs: one that came back with an older Temporal. */
export async function endedWorkflows(
  db: Db,
  running: ReadonlySet<string>,
): Promise<{ id: string; workflow_id: string }[]> {
  const { rows } = await sql<{ id: string; workflow_id: string }>`
    select id, workflow_id from run
    where workflow_id = any(${[...running]})
      and ended_at < clock_timestamp() - ${endsWithinSeconds} * interval '1 second'
    order by id
  `.execute(db)
  return rows
}

/** Running workflows that no run here knows: of a Postgres that was emptied or is older, or of another installation. */
export async function orphanWorkflows(db: Db, running: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...running]}::text[]) as workflow(id)
    where not exists (select from run where run.workflow_id = workflow.id)
    order by id
  `.execute(db)
  return rows.map((row) => row.id)
}
