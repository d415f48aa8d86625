import { WorkflowNotFoundError, type WorkflowExecutionStatusName } from '@temporalio/client'
import type { TemporalClient } from '../temporal-client.ts'

/** What Temporal says about a workflow. */
export interface WorkflowLook {
  readonly status: WorkflowExecutionStatusName
  /** nothing is on its way: no activity, no workflow task; only a signal or a timer will move it */
  readonly idle: boolean
  /** how often in a row its workflow task was tried; more than one means that it failed before */
  readonly taskAttempts: number
}

/** Describes a workflow; `null` when Temporal does not know it. Rejects when Temporal does not answer. */
export async function lookAtWorkflow(
  temporal: TemporalClient,
  workflowId: string,
): Promise<WorkflowLook | null> {
  try {
    const described = await temporal.withDeadline(() =>
      temporal.client.workflow.getHandle(workflowId).describe(),
    )
    const { pendingActivities, pendingWorkflowTask } = described.raw
    return {
      status: described.status.name,
      idle: (pendingActivities ?? []).length === 0 && !pendingWorkflowTask,
      taskAttempts: pendingWorkflowTask?.attempt ?? 0,
    }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null
    throw error
  }
}
