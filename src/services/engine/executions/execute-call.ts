import { callWorkerName } from '#domain/tools/built-in-tools.ts'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import { ContentChanged } from '#store/content/content.ts'
import { planDelegation } from '../delegation/plan-delegation.ts'
import { isLate, measureTime } from '../../core/elapsed-time.ts'
import { lockRun } from '../../core/locks.ts'
import { judgementCaller, recordVerdict } from '../judging/record-verdict.ts'
import { cancelledText } from '../../transcript/result-texts.ts'
import { storeResult } from '../../transcript/store-result.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { renewRequest } from './renew-request.ts'
import { renewDependents } from './renew-dependents.ts'
import { lockCall, nextAttemptOf, type CallAtHand } from '../attempts/call-at-hand.ts'
import { startExecution } from '../starting/start-execution.ts'
import type { ExecutionPlan, Refusal } from '../attempts/execution-plan.ts'
import { performAttempt, type AttemptEnd } from './perform-attempt.ts'
import { planApproved } from '../starting/plan-approved.ts'
import { planPreApproved } from '../starting/plan-pre-approved.ts'
import type { ReadyCall } from '../starting/prepare-call.ts'
import { refuseExecution } from '../attempts/refuse-execution.ts'
import { refusedUnsigned } from '../attempts/refusals.ts'
import { isRepeated } from '../attempts/repeat-attempt.ts'
import { runningHere, whileRunning } from '../attempts/running-attempts.ts'
import { markingUnusable, unmarkUnusable } from '../attempts/unusable-workspace.ts'
import { settleAttempt } from './settle-unknown.ts'
import { findNextStep, type NextStep } from '../starting/next-step.ts'
import { bySystem, executor } from '../../core/authority.ts'

/** How many rounds a call gets when something changes between reading and starting. */
const maxRounds = 20

interface CallToExecute {
  readonly callId: string
  /** aborts with a `StopReason` */
  readonly signal: AbortSignal
  /**
   * by `prepareCall`, a moment before or still under way; absent or `null`: the call is read and
   * verified now
   */
  readonly ready?: ReadyCall | null | Promise<ReadyCall | null>
}

/**
 * Advances one call as far as possible now, from whatever state it is in (architecture.md,
 * executeCall): waits for people, stores the result of a decision, or verifies, starts and carries
 * out its effect, once. Rejects only when the store cannot be reached, or the workspace cannot be
 * used; then `settleUnknown` decides.
 */
export async function executeCall(ctx: WorkerContext, input: CallToExecute): Promise<CallOutcome> {
  return markingUnusable(ctx, input, async () => {
    const outcome = await advanceCall(ctx, input)
    if (outcome.kind === 'done') await renewDependents(ctx, input.callId, input.signal)
    return outcome
  })
}

async function advanceCall(ctx: WorkerContext, input: CallToExecute): Promise<CallOutcome> {
  const elapsedMs = measureTime()
  let round: AttemptEnd = null
  const ready = await input.ready
  if (ready != null) {
    round = await actOn(ctx, ready, input.signal)
    if (isOutcome(round)) return round
  }
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    const step = await findNextStep(ctx, input.callId)
    if (step.next === 'answer') return step.outcome
    if (step.next === 'settle') {
      // This process already carries the call out: the answer is the end of that.
      const running = runningHere(input.callId)
      if (running.length > 0) {
        await Promise.all(running.map((attempt) => attempt.ended))
        continue
      }
    }
    // What is left is the work of another activity, whose attempt this one must not settle.
    if (round === 'given up') throw new Error(`An attempt of call ${input.callId} was given up`)
    if (step.next === 'settle') {
      if (isLate(elapsedMs)) throw new Error(`Call ${input.callId} was started elsewhere meanwhile`)
      const { callId } = input
      const settled = await settleAttempt(ctx, { callId, attempt: step.attempt })
      if (settled.kind !== 'again') return settled
      continue
    }
    round = await act(ctx, step, input.signal)
    if (isOutcome(round)) return round
  }
  throw new Error(`Call ${input.callId} did not reach an end`)
}

function isOutcome(round: AttemptEnd): round is CallOutcome {
  return round !== null && round !== 'given up'
}

/** One round of a call that may run. */
async function act(
  ctx: WorkerContext,
  { at, readings }: Extract<NextStep, { next: 'act' }>,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const again = at.execution?.settled_then === 'again' && !isRepeated(at)
  const byPermit = again || at.call.verdict === 'ask'
  const planning = byPermit ? planApproved(ctx, at, readings) : planPreApproved(ctx, at, readings)
  const plan = await planning.catch(refuseChanged)
  if (plan.kind === 'asks') {
    await renewRequest(ctx, { at, judgement: plan.judgement, refusal: null, signal })
    return null
  }
  if (plan.kind === 'refuse') {
    await refuse(ctx, at, plan, signal)
    return null
  }
  return actOn(ctx, { at, plan }, signal)
}

/** Starts a verified call and carries it out. */
async function actOn(
  ctx: WorkerContext,
  { at, plan }: ReadyCall,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  if (plan.authorisation.by !== 'permit') await storeVerdict(ctx, at, plan)
  if (plan.tool.name === callWorkerName) return delegate(ctx, at, plan, signal)
  return whileRunning(at.call.id, nextAttemptOf(at), async (nextBegins) => {
    const execution = await startExecution(ctx, at, plan, null)
    if (execution.kind === 'answer') return execution.outcome
    if (execution.kind !== 'started') return execution.kind === 'retry' ? null : 'given up'
    return performAttempt(ctx, { ...execution, at, plan, signal, again: nextBegins })
  })
}

/** A delegation's effect, its run, is written with the start: nothing is left to do. */
async function delegate(
  ctx: WorkerContext,
  at: CallAtHand,
  plan: ExecutionPlan,
  signal: AbortSignal,
): Promise<CallOutcome | null> {
  const delegation = await planDelegation(ctx, at, plan).catch(refuseChanged)
  if (delegation.kind === 'refuse') {
    await refuse(ctx, at, delegation, signal)
    return null
  }
  const execution = await startExecution(ctx, at, plan, delegation)
  return execution.kind === 'answer' ? execution.outcome : null
}

/** Bytes that differ from their hash were never approved, so another try would not help. */
function refuseChanged(error: unknown): Refusal {
  if (error instanceof ContentChanged) return refusedUnsigned('unsigned', 'content', null)
  throw error
}

/** Stores the verdict with the call when another rule or grant pre-approves it now. */
async function storeVerdict(
  ctx: WorkerContext,
  at: CallAtHand,
  plan: ExecutionPlan,
): Promise<void> {
  const { judgement } = plan
  const isUnchanged =
    judgement.policyDigest === at.call.policy_digest &&
    judgement.grantId === at.call.grant_id &&
    judgement.rule?.id === at.call.rule?.id
  if (isUnchanged) return
  await inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    await lockRun(unit.tx, at.run.id)
    await recordVerdict(unit, judgementCaller(judgement), at.run, at.call, judgement)
  })
}

async function refuse(
  ctx: WorkerContext,
  at: CallAtHand,
  refusal: Refusal,
  signal: AbortSignal,
): Promise<void> {
  const { then } = refusal
  if (then.next === 'ask') {
    await renewRequest(ctx, { at, judgement: then.judgement, refusal, signal })
    return
  }
  const text = then.type === 'cancelled' ? cancelledText(then.text) : then.text
  await inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const current = await lockCall(unit.tx, at.call.id)
    const unchanged =
      current !== null &&
      current.call.result_type === null &&
      current.execution?.state !== 'started' &&
      nextAttemptOf(current) === nextAttemptOf(at)
    if (!unchanged) return
    await unmarkUnusable(unit, current.run)
    await refuseExecution(unit, executor, current, refusal)
    await storeResult(unit.tx, current.call.id, { type: then.type, text })
    await unit.event('run.changed', { runId: current.run.id })
  })
}
