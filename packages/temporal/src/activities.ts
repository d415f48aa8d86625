import { CountersignError, type Call, type Client } from '@countersign/client'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'

/** A call as a workflow asks about it: what `withApproval` takes, and the name of the call. */
export interface WorkflowCall extends Omit<Call, 'callbackUrl' | 'externalId' | 'origin'> {
  readonly externalId: string
  /** of the workflow that a decision wakes */
  readonly workflowId: string
}

export interface ActivityOptions {
  /**
   * where `handleCallback` of this package is served, such as `https://ops.example.com/countersign`;
   * absent: a workflow learns of a decision when it looks again
   */
  readonly callbackUrl?: string
}

/** What `withApproval` calls. Register it with the activities of the Temporal worker. */
export interface CountersignActivities {
  countersignAsk(call: WorkflowCall): Promise<{ id: string; number: number; state: string }>
  countersignTake(call: WorkflowCall): Promise<{ requestId: string; input: object }>
  countersignReport(requestId: string, state: 'succeeded' | 'failed'): Promise<void>
  countersignWithdraw(requestId: string): Promise<void>
}

/**
 * The activities of `withApproval`, for `Worker.create({ activities: { ...mine, ...these } })`. The
 * API key stays with the Temporal worker: no workflow and no history has it.
 */
export function createCountersignActivities(
  client: Client,
  { callbackUrl }: ActivityOptions = {},
): CountersignActivities {
  const callOf = ({ workflowId, ...call }: WorkflowCall): Call => {
    if (callbackUrl === undefined) return call
    const url = new URL(callbackUrl)
    url.searchParams.set('workflow', workflowId)
    return { ...call, callbackUrl: url.href }
  }
  return {
    async countersignAsk(call) {
      const { id, number, state } = await orFailure(() => client.ask(callOf(call)))
      return { id, number, state }
    },
    async countersignTake(call) {
      const taken = await orFailure(() => client.take<object>(callOf(call), { wait: 0 }))
      return { requestId: taken.requestId, input: taken.input }
    },
    countersignReport: (requestId, state) => orFailure(() => client.report(requestId, { state })),
    countersignWithdraw: (requestId) => orFailure(() => client.withdraw(requestId)),
  }
}

/** What passes with time is tried again by Temporal; a refusal is final, with its code as type. */
async function orFailure<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code === 'unavailable') throw error
    throw ApplicationFailure.create({
      message: error.message,
      type: error.name === 'CountersignError' ? error.code : error.name,
      nonRetryable: true,
      // A person who says no is no fault of the worker.
      category: ApplicationFailureCategory.BENIGN,
      cause: error,
    })
  }
}
