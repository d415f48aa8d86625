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

interface Settlement {
  /** `null`: the state of the call says what is next */
  readonly outcome: SettleOutcome | null
  /** whether the attempt was settled, and its reason stored, here */
  readonly isSettledHere: boolean
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
  const undone = await undoLostCommand(ctx, input)
  const why = undone === null ? lostHost : `${lostHost}; ${undone.violation}`
  const { outcome, isSettledHere } = await inUnitOfWork(
    ctx,
    bySystem(ctx, executor),
    async (unit): Promise<Settlement> => {
      const at = await lockCall(unit.tx, input.callId)
      if (at === null) return { outcome: { kind: 'ended' }, isSettledHere: false }
      const hasEnded = isEnd(runTransitions, at.run.state)
      const { execution } = at
      const isLost = execution?.state === 'started' && execution.attempt === input.attempt
      // The effect of a delegation is a run of its own, whose state the store knows.
      if (!isLost || (await childOf(unit.tx, at)) !== null) {
        return { outcome: hasEnded ? { kind: 'ended' } : null, isSettledHere: false }
      }
      if (!hasEnded && (await repeatAttempt(unit, at, why))) {
        return { outcome: { kind: 'again' }, isSettledHere: true }
      }
      const lost = await loseExecution(unit, policy, at, why)
      return { outcome: hasEnded ? { kind: 'ended' } : lost, isSettledHere: true }
    },
  )
  // If others have settled the attempt, the next start adds the violation to it.
  if (isSettledHere) await undone?.acknowledge()
  if (outcome !== null) return outcome
  const step = await findNextStep(ctx, input.callId)
  return step.next === 'answer' ? step.outcome : { kind: 'again' }
}
