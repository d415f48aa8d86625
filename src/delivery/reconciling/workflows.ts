import type { IdleRun } from './find-idle-runs.ts'
import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import type { TemporalClient } from '../temporal-client.ts'
import {
  WorkflowNotFoundError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  type WorkflowExecutionStatusName,
  type WorkflowExecutionInfo,
} from '@temporalio/client'
import { cancelRequested } from '#workflows/messages.ts'
import { startListed, type DeliveryContext } from '../outbox/deliver-rows.ts'

/** Reading a page of a long list may take this long; no person waits for it. */
const pageWithinMs = 30_000

/** The workflows that a query of Temporal finds, page by page. Throws when a page does not come. */
export async function* listWorkflows(
  temporal: TemporalClient,
  query: string,
): AsyncGenerator<WorkflowExecutionInfo, void> {
  const executions = temporal.client.workflow.list({ query })[Symbol.asyncIterator]()
  for (;;) {
    const next = await temporal.withDeadline(() => executions.next(), pageWithinMs)
    if (next.done === true) return
    yield next.value
  }
}

/** The ids of the workflows that a query of Temporal finds. */
export async function workflowIds(temporal: TemporalClient, query: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const { workflowId } of listWorkflows(temporal, query)) ids.add(workflowId)
  return ids
}

/** What Temporal says about a workflow. */
export interface WorkflowState {
  readonly status: WorkflowExecutionStatusName
  /** no activity and no workflow task is pending: only a signal or a timer can move it */
  readonly isIdle: boolean
  /** an activity is scheduled or running */
  readonly isBusy: boolean
  /** how often in a row its workflow task was tried; more than one means that it failed before */
  readonly taskAttempts: number
}

/** A workflow's description; `null`: unknown. Rejects if Temporal does not answer. */
export async function describeWorkflow(
  temporal: TemporalClient,
  workflowId: string,
): Promise<WorkflowState | null> {
  try {
    const described = await temporal.withDeadline(() =>
      temporal.client.workflow.getHandle(workflowId).describe(),
    )
    const { pendingActivities, pendingWorkflowTask } = described.raw
    const isBusy = (pendingActivities ?? []).length > 0
    return {
      status: described.status.name,
      isBusy,
      isIdle: !isBusy && !pendingWorkflowTask,
      taskAttempts: pendingWorkflowTask?.attempt ?? 0,
    }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null
    throw error
  }
}

/**
 * Starts a run's workflow again, after one that has ended or in place of one that runs. Replacing
 * is one step, so that the run is never without a workflow. The new workflow reads the run's state
 * from the store.
 */
export async function restartWorkflow(
  delivering: Pick<DeliveryContext, 'temporal' | 'taskQueue' | 'listing'>,
  run: { readonly id: string; readonly workflow_id: string },
  replacing: 'of_ended' | 'of_running',
): Promise<void> {
  await startListed(delivering, run.id, {
    workflowId: run.workflow_id,
    taskQueue: delivering.taskQueue,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy:
      replacing === 'of_running'
        ? WorkflowIdConflictPolicy.TERMINATE_EXISTING
        : WorkflowIdConflictPolicy.FAIL,
  })
}

/**
 * Remembers which workflow was woken for which fact, so that one that does not move is not woken in
 * every round.
 */
export class WokenWorkflows {
  readonly #facts = new Map<string, string>()

  /**
   * Signals a workflow to look at the store, once for each `fact`. It is the signal of a cancel,
   * which makes every wait look and by itself changes nothing. Returns whether a signal was sent.
   */
  async wake(temporal: TemporalClient, run: IdleRun): Promise<boolean> {
    if (this.#facts.get(run.id) === run.fact) return false
    try {
      await temporal.withDeadline(() =>
        temporal.client.workflow.getHandle(run.workflow_id).signal(cancelRequested),
      )
    } catch (error) {
      // The workflow ended meanwhile.
      if (error instanceof WorkflowNotFoundError) return false
      throw error
    }
    this.#facts.set(run.id, run.fact)
    return true
  }
}

/** The workflow of a run that ended this long ago must have ended too. */
const endsWithinSeconds = 15

/** Ids of the workflows of runs that Temporal knows as running. */
export function runningWorkflows(temporal: TemporalClient): Promise<Set<string>> {
  return workflowIds(temporal, "WorkflowType = 'agentRun' AND ExecutionStatus = 'Running'")
}

/** Ended runs whose workflow runs, because Temporal was restored from an older copy. */
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

/**
 * Running workflows without a run in Postgres: Postgres was emptied or restored from an older copy,
 * or they belong to another installation.
 */
export async function orphanWorkflows(db: Db, running: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...running]}::text[]) as workflow(id)
    where not exists (select from run where run.workflow_id = workflow.id)
    order by id
  `.execute(db)
  return rows.map((row) => row.id)
}
