import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import type { SettleOutcome } from '#domain/runs/workflow-outcomes.ts'
import { childOf } from '../delegation/child-run.ts'
import { isLate, measureTime } from '../../core/elapsed-time.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { undoLostCommand } from '../attempts/undo-lost-command.ts'
import { lockCall } from '../attempts/call-at-hand.ts'
import { loseExecution } from '../attempts/lose-execution.ts'
import { repeatAttempt } from '../attempts/repeat-attempt.ts'
import { findNextStep } from '../starting/next-step.ts'
import { bySystem, executor } from '../../core/authority.ts'

const lostHost = 'the connection to its host was lost'

/**
 * The step after a call's activity failed or timed out (architecture.md, execution). Which attempt
 * that is about is read first: if this process stands still, another one may settle that attempt,
 * and a later one may run when this one goes on. Rejects if the look itself was late.
 */
export async function settleUnknown(
  ctx: WorkerContext,
  { callId }: { readonly callId: string },
): Promise<SettleOutcome> {
  const elapsedMs = measureTime()
  // A commit under way still holds the run's lock.
  const attempt = await inUnitOfWork(ctx, bySystem(ctx, executor), async ({ tx }) => {
    const at = await lockCall(tx, callId)
    return at?.execution?.state === 'started' ? at.execution.attempt : null
  })
  if (isLate(elapsedMs)) throw new Error(`Call ${callId} was read too late to settle its attempt`)
  return settleAttempt(ctx, { callId, attempt })
}

/**
 * Settles this attempt of a call, and no other; `null`: none was started. A call that was not
 * started, or only reads, may run again. Otherwise the started attempt becomes `unknown`, and the
 * call waits for its outcome check.
 */
export async function settleAttempt(
  ctx: WorkerContext,
  input: { readonly callId: string; readonly attempt: number | null },
): Promise<SettleOutcome> {
  const policy = await ctx.policies.inForce()
  const undone = await undoLostCommand(ctx, input.callId)
  const why = undone === null ? lostHost : `${lostHost}; ${undone.violation}`
  const outcome = await inUnitOfWork(
    ctx,
    bySystem(ctx, executor),
    async (unit): Promise<SettleOutcome | null> => {
      const at = await lockCall(unit.tx, input.callId)
      if (at === null) return { kind: 'ended' }
      const hasEnded = isEnd(runTransitions, at.run.state)
      const { execution } = at
      if (execution?.state !== 'started' || execution.attempt !== input.attempt) {
        return hasEnded ? { kind: 'ended' } : null
      }
      // The effect is a run of its own, whose state the store knows.
      if ((await childOf(unit.tx, at)) !== null) return hasEnded ? { kind: 'ended' } : null
      if (!hasEnded && (await repeatAttempt(unit, at, why))) return { kind: 'again' }
      const lost = await loseExecution(unit, policy, at, why)
      return hasEnded ? { kind: 'ended' } : lost
    },
  )
  await undone?.acknowledge()
  if (outcome !== null) return outcome
  const step = await findNextStep(ctx, input.callId)
  return step.next === 'answer' ? step.outcome : { kind: 'again' }
}
