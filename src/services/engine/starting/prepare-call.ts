import type { WorkerContext } from '../../core/worker-context.ts'
import type { CallAtHand } from '../attempts/call-at-hand.ts'
import type { ExecutionPlan } from '../attempts/execution-plan.ts'
import { mayRun } from './next-step.ts'
import { planApproved } from './plan-approved.ts'
import { planPreApproved } from './plan-pre-approved.ts'
import { readToPlan } from './read-to-plan.ts'

/** A call that may run, verified, and the rows by which it was verified. */
export interface ReadyCall {
  readonly at: CallAtHand
  readonly plan: ExecutionPlan
}

/**
 * Reads and verifies a call, as its execution does first. It writes nothing and starts nothing. The
 * start reads again, under the locks, everything that can end the right. `null`: the call may not
 * run as it is now; its execution decides what follows.
 */
export async function prepareCall(ctx: WorkerContext, callId: string): Promise<ReadyCall | null> {
  const { at, readings } = await readToPlan(ctx, callId)
  if (at === null || !mayRun(at)) return null
  const planning = at.call.verdict === 'ask' ? planApproved : planPreApproved
  const plan = await planning(ctx, at, readings)
  return plan.kind === 'run' ? { at, plan } : null
}
