import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { Duration } from '@temporalio/common'
import type { CountersignActivities, WorkflowCall } from './activities.ts'
import { decidedSignal } from './decided-signal.ts'

/** The call that `withApproval` takes. The package adds identifier, callback address and origin. */
export type ApprovalCall<Input extends object> = Omit<
  WorkflowCall,
  'externalId' | 'input' | 'workflowId'
> & { readonly input: Input }

export interface ApprovalOptions {
  /** interval of polling without a signal, such as `'1 hour'`; default: 10 minutes */
  readonly lookEvery?: Duration
  /** called once the request is open, for instance to store its number */
  readonly onAsked?: (request: { readonly id: string; readonly number: number }) => void
}

const retry = { initialInterval: '1 second', maximumInterval: '1 minute' } as const
const startToCloseTimeout = '2 minutes'
/** Without a total timeout: Temporal retries these until the service is reachable. */
const { countersignAsk, countersignTake } = proxyActivities<CountersignActivities>({
  startToCloseTimeout,
  retry,
})
/** The workflow continues if these fail. */
const { countersignReport, countersignWithdraw } = proxyActivities<CountersignActivities>({
  startToCloseTimeout,
  scheduleToCloseTimeout: '10 minutes',
  retry,
})

/** Temporal isolates the modules of each workflow execution, so this state is not shared. */
const signals = new Map<string, boolean>()
let calls = 0

/**
 * Waits inside a workflow until a different person has approved the call, then executes it with
 * exactly the approved input, and reports the outcome. While the workflow waits for the signal it
 * uses no worker, only a timer, so it can wait for weeks.
 *
 * `execute` usually calls an activity with `maximumAttempts: 1`, because an approval is for one
 * call. Rejects before `execute` runs if the call was denied, blocked, expired or withdrawn: with
 * an `ActivityFailure` whose cause has the type (`DeniedError`, `ExpiredError`, …) and the person's
 * reason. A cancelled workflow withdraws its request.
 *
 * @example
 * await withApproval({ tool: 'refund', input: { order: '1042', cents: 1999 } }, (input) =>
 *   refund(input))
 */
export async function withApproval<Input extends object, Result>(
  call: ApprovalCall<Input>,
  execute: (input: Input) => Promise<Result>,
  { lookEvery = '10 minutes', onAsked }: ApprovalOptions = {},
): Promise<Result> {
  const { runId, workflowId } = workflowInfo()
  // A reset or continue-as-new gives the workflow another run id, and so a new request.
  calls += 1
  const externalId = `temporal:${runId}:${calls}`
  signals.set(externalId, false)
  setHandler(defineSignal<[string]>(decidedSignal), (name) => {
    if (signals.has(name)) signals.set(name, true)
  })
  const workflowCall: WorkflowCall = { ...call, externalId, workflowId }
  let request: Awaited<ReturnType<typeof countersignAsk>> | null = null
  try {
    request = await countersignAsk(workflowCall)
    onAsked?.({ id: request.id, number: request.number })
    while (request.state === 'pending') {
      await condition(() => signals.get(externalId) === true, lookEvery)
      signals.set(externalId, false)
      // The same `externalId` opens no new request, and returns the state of the existing one.
      request = await countersignAsk(workflowCall)
    }
  } catch (error) {
    const { id } = request ?? {}
    if (id !== undefined && isCancellation(error)) {
      await CancellationScope.nonCancellable(() => countersignWithdraw(id).catch(() => null))
    }
    throw error
  } finally {
    signals.delete(externalId)
  }
  const { input, requestId } = await countersignTake(workflowCall)
  const report = (state: 'succeeded' | 'failed') =>
    CancellationScope.nonCancellable(() => countersignReport(requestId, state).catch(() => null))
  try {
    const result = await execute(input as Input)
    await report('succeeded')
    return result
  } catch (error) {
    await report('failed')
    throw error
  }
}
