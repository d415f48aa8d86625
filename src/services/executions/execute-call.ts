import type { CallOutcome } from '../../domain/workflow-outcomes.ts'
import { ContentChanged } from '../../store/content/content.ts'
import { callWorkerName } from '../../policy/worker/built-in-tool-names.ts'
import { planDelegation } from '../delegation/plan-delegation.ts'
import { lockRun } from '../locks.ts'
import { judgementCaller } from '../turns/judging/judgement-caller.ts'
import { recordVerdict } from '../turns/judging/record-verdict.ts'
import { cancelledText } from '../runs/transcript/result-texts.ts'
import { storeResult } from '../runs/transcript/store-result.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import type { WorkerContext } from '../worker-context.ts'
import { askAfresh } from './refusing/ask-afresh.ts'
import { askDependentsAfresh } from './refusing/ask-dependents-afresh.ts'
import { lockCall, nextAttemptOf, type CallAtHand } from './claiming/call-at-hand.ts'
import { claimExecution } from './claiming/claim-execution.ts'
import type { ExecutionPlan, Refusal } from './claiming/execution-plan.ts'
import { performClaimed } from './perform-claimed.ts'
import { planApproved } from './claiming/plan-approved.ts'
import { planPreApproved } from './claiming/plan-pre-approved.ts'
import { refuseExecution } from './refusing/refuse-execution.ts'
import { refusedUnsigned } from './refusing/refusals.ts'
import { isRepeated } from './attempts/repeat-attempt.ts'
import { runningHere, whileRunning } from './attempts/running-attempts.ts'
import { settleUnknown } from './settle-unknown.ts'
import { whereCallStands } from './claiming/where-call-stands.ts'

/** How often a call is looked at again when something changed between looking and claiming. */
const looksMost = 20

/**
 * Brings one call as far as it can be brought now, and answers for whatever it finds (architecture.md, executeCall):
 * waits for people, stores the result that a decision left it, or verifies, claims and carries out its effect, once.
 * `signal` aborts with a `StopReason`. Rejects only when the store cannot be reached; then `settleUnknown` says.
 */
export async function executeCall(
  ctx: WorkerContext,
  input: { readonly callId: string; readonly signal: AbortSignal },
): Promise<CallOutcome> {
  const outcome = await bringOn(ctx, input)
  if (outcome.kind === 'done') await askDependentsAfresh(ctx, input.callId, input.signal)
  return outcome
}

async function bringOn(
  ctx: WorkerContext,
  input: { readonly callId: string; readonly signal: AbortSignal },
): Promise<CallOutcome> {
  for (let look = 0; look < looksMost; look += 1) {
    const standing = await whereCallStands(ctx, input.callId)
    if (standing.next === 'answer') return standing.outcome
    if (standing.next === 'settle') {
      // Asked twice for a call that this very process carries out: its end is what is answered.
      const here = runningHere(input.callId)
      if (here.length > 0) {
        await Promise.all(here.map((attempt) => attempt.over))
        continue
      }
      const settled = await settleUnknown(ctx, input)
      if (settled.kind !== 'again') return settled
      continue
    }
    const acted = await act(ctx, standing.at, input.signal)
    if (acted !== null) return acted
  }
  throw new Error(`Call ${input.callId} did not come to rest`)
}

/** One look at a call that may run. `null`: look again at where it stands. */
async function act(
  ctx: WorkerContext,
  at: CallAtHand,
  signal: AbortSignal,
): Promise<CallOutcome | null> {
  const again = at.execution?.settled_then === 'again' && !isRepeated(at)
  const byPermit = again || at.call.verdict === 'ask'
  const planning = byPermit ? planApproved(ctx, at) : planPreApproved(ctx, at)
  const plan = await planning.catch(refuseChanged)
  if (plan.kind === 'asks') {
    await askAfresh(ctx, { at, judgement: plan.judgement, refused: null, signal })
    return null
  }
  if (plan.kind === 'refuse') {
    await refuse(ctx, at, plan, signal)
    return null
  }
  if (!byPermit) await keepVerdict(ctx, at, plan)
  if (plan.tool.name === callWorkerName) return delegate(ctx, at, plan, signal)
  return whileRunning(at.call.id, nextAttemptOf(at), async (nextBegins) => {
    const claimed = await claimExecution(ctx, at, plan, null)
    if (claimed.kind === 'look') return null
    if (claimed.kind === 'answer') return claimed.outcome
    return performClaimed(ctx, { at, plan, attempt: claimed.attempt, signal, again: nextBegins })
  })
}

/** A delegation's effect is a run of its own, written with the claim: there is nothing to carry out here. */
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
  const claimed = await claimExecution(ctx, at, plan, delegation)
  return claimed.kind === 'answer' ? claimed.outcome : null
}

/** Bytes that are not what their hash says were never approved: trying again would not help. */
function refuseChanged(error: unknown): Refusal {
  if (error instanceof ContentChanged) return refusedUnsigned('unsigned', 'content', null)
  throw error
}

/** What pre-approves a call may be another rule or grant by now: it is kept with the call. */
async function keepVerdict(ctx: WorkerContext, at: CallAtHand, plan: ExecutionPlan): Promise<void> {
  const { judgement } = plan
  const same =
    judgement.policyDigest === at.call.policy_digest &&
    judgement.grantId === at.call.grant_id &&
    judgement.rule?.id === at.call.rule?.id
  if (same) return
  await inUnitOfWork(ctx, async (unit) => {
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
    await askAfresh(ctx, { at, judgement: then.judgement, refused: refusal, signal })
    return
  }
  const text = then.type === 'cancelled' ? cancelledText(then.text) : then.text
  await inUnitOfWork(ctx, async (unit) => {
    const now = await lockCall(unit.tx, at.call.id)
    const unchanged =
      now !== null &&
      now.call.result_type === null &&
      now.execution?.state !== 'started' &&
      nextAttemptOf(now) === nextAttemptOf(at)
    if (!unchanged) return
    const caller = { actor: { type: 'system', name: 'executor' }, channel: 'workflow' } as const
    await refuseExecution(unit, caller, now, refusal)
    await storeResult(unit.tx, now.call.id, { type: then.type, text })
    await unit.event('run.changed', { runId: now.run.id })
  })
}
