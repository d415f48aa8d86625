import { CountersignError, type Call, type Client } from '@countersign/client'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'

/** A call of a workflow: the argument of `withApproval` and the identifier of the call. */
export interface WorkflowCall extends Omit<Call, 'callbackUrl' | 'externalId' | 'origin'> {
  readonly externalId: string
  /** id of the workflow to which the decision is signalled */
  readonly workflowId: string
}

export interface ActivityOptions {
  /**
   * the address that serves `handleCallback` of this package, such as
   * `https://ops.example.com/countersign`; absent: the workflow only polls
   */
  readonly callbackUrl?: string
}

/** The activities that `withApproval` calls. Register them with the Temporal worker. */
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

/** Temporal retries `unavailable`. A refusal is final, with its code as the type of the failure. */
async function orFailure<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code === 'unavailable') throw error
    throw ApplicationFailure.create({
      message: error.message,
      type: error.name === 'CountersignError' ? error.code : error.name,
      nonRetryable: true,
      // A denial is not an error of the Temporal worker.
      category: ApplicationFailureCategory.BENIGN,
      cause: error,
    })
  }
}
