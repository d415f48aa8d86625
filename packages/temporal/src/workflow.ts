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

/** A call, without what the package adds: its name, the address to call back, and its origin. */
export type ApprovalCall<Input extends object> = Omit<
  WorkflowCall,
  'externalId' | 'input' | 'workflowId'
> & { readonly input: Input }

export interface ApprovalOptions {
  /** how often the service is asked although nobody has signalled, such as `'1 hour'`; 10 minutes */
  readonly lookEvery?: Duration
  /** told once the request is there: its number, to show where the workflow waits */
  readonly onAsked?: (request: { readonly id: string; readonly number: number }) => void
}

const retry = { initialInterval: '1 second', maximumInterval: '1 minute' } as const
const startToCloseTimeout = '2 minutes'
/** A service that is away is waited for. */
const { countersignAsk, countersignTake } = proxyActivities<CountersignActivities>({
  startToCloseTimeout,
  retry,
})
/** Nothing depends on these: the workflow goes on without them. */
const { countersignReport, countersignWithdraw } = proxyActivities<CountersignActivities>({
  startToCloseTimeout,
  scheduleToCloseTimeout: '10 minutes',
  retry,
})

/** State of a module is the execution's own: Temporal gives each workflow modules of its own. */
const woken = new Map<string, boolean>()
let calls = 0

/**
 * Waits inside a workflow until a different person has approved the call, then executes it with
 * exactly the input that was approved, and reports what became of it. The workflow waits for a
 * signal: hours or weeks cost nothing but a timer.
 *
 * `execute` is usually an activity of yours with `maximumAttempts: 1`: one approval is for one call.
 * Rejects without having executed it, when the call was denied, blocked, expired or withdrawn, with
 * an `ActivityFailure` whose cause has the type (`DeniedError`, `ExpiredError`, …) and the words of
 * the person. A cancelled workflow withdraws its request.
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
  // A workflow that was reset or continued as new has another run, and asks anew.
  calls += 1
  const externalId = `temporal:${runId}:${calls}`
  woken.set(externalId, false)
  setHandler(defineSignal<[string]>(decidedSignal), (name) => {
    if (woken.has(name)) woken.set(name, true)
  })
  const asking: WorkflowCall = { ...call, externalId, workflowId }
  let asked: Awaited<ReturnType<typeof countersignAsk>> | null = null
  try {
    asked = await countersignAsk(asking)
    onAsked?.({ id: asked.id, number: asked.number })
    while (asked.state === 'pending') {
      await condition(() => woken.get(externalId) === true, lookEvery)
      woken.set(externalId, false)
      // Asking again under the same name asks nothing new: it tells where the request stands.
      asked = await countersignAsk(asking)
    }
  } catch (error) {
    const { id } = asked ?? {}
    if (id !== undefined && isCancellation(error)) {
      await CancellationScope.nonCancellable(() => countersignWithdraw(id).catch(() => null))
    }
    throw error
  } finally {
    woken.delete(externalId)
  }
  const { input, requestId } = await countersignTake(asking)
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
