import { setTimeout as delay } from 'node:timers/promises'
import type { CallOutcome } from '../../domain/workflow-outcomes.ts'
import { nextDeadlineMs } from '../runs/advance-requests.ts'
import { changedText } from '../runs/transcript/result-texts.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import type { WorkerContext } from '../worker-context.ts'
import { askAfresh } from './refusing/ask-afresh.ts'
import { lockCall, readCall, type CallAtHand } from './claiming/call-at-hand.ts'
import { cappedResult } from './capped-result.ts'
import { carryOut, type Effect } from './carry-out.ts'
import { endEarlierAttempt } from './attempts/end-earlier-attempt.ts'
import type { ExecutionPlan } from './claiming/execution-plan.ts'
import { finishExecution, type ExecutionEnd } from './finish-execution.ts'
import { keepFiles } from './keep-files.ts'
import { keepStreams } from './keep-streams.ts'
import { loseExecution } from './attempts/lose-execution.ts'
import { keyAttemptOf, repeatAttempt } from './attempts/repeat-attempt.ts'
import { undoClaim } from './claiming/undo-claim.ts'

/** How long the end of an effect is tried to be stored, while the database is away. */
const storeWithinMs = 60_000
const storeEveryMs = 500

interface Claimed {
  readonly at: CallAtHand
  readonly plan: ExecutionPlan
  readonly attempt: number
  readonly signal: AbortSignal
  /** aborts when the next attempt is about to begin in this process */
  readonly again: AbortSignal
}

/** Carries out a claimed attempt and stores what came of it. `null`: look again at where the call stands. */
export async function performClaimed(
  ctx: WorkerContext,
  claimed: Claimed,
): Promise<CallOutcome | null> {
  const { at, plan, attempt, signal, again } = claimed
  const keyAttempt = keyAttemptOf(at)
  const { request_id: requestId } = at.call
  const ended = { callId: at.call.id, requestId, attempt, digest: plan.digest }
  const work = { runId: at.run.id, callId: at.call.id, attempt, keyAttempt, plan, signal, again }
  if (!(await endEarlierAttempt(ctx, at))) {
    await untilStored(() => finishExecution(ctx, ended, stillRuns))
    return { kind: 'done' }
  }
  const effect = await carryOut(ctx, work)
  if (effect.kind === 'stale') {
    await untilStored(() => undoClaim(ctx, { callId: at.call.id, attempt }))
    const now = await readCall(ctx.db, at.call.id)
    if (plan.authority.by === 'permit' && now !== null) {
      await askAfresh(ctx, { at: now, judgement: plan.judgement, refused: null, signal })
    }
    return null
  }
  if (effect.kind === 'lost') return lose(ctx, at, attempt, effect.why)
  const end = await endOf(ctx, claimed, effect)
  await untilStored(() => finishExecution(ctx, ended, end))
  return { kind: 'done' }
}

const stillRuns: ExecutionEnd = {
  state: 'failed',
  reason: 'earlier attempt still runs',
  exitCode: null,
  output: null,
  result: {
    type: 'error',
    text: 'This call was not carried out again, because an earlier attempt at it could not be ended.',
  },
}

const stoppedBecause = {
  shutdown: { reason: 'stopped', why: 'its host was stopped' },
  cancelled: { reason: 'cancelled', why: 'the run was cancelled' },
  again: { reason: 'again', why: 'a person wants it carried out once more' },
} as const

async function endOf(
  ctx: WorkerContext,
  claimed: Claimed,
  effect: Extract<Effect, { kind: 'returned' | 'stopped' }>,
): Promise<ExecutionEnd> {
  if (effect.kind === 'stopped') {
    const { reason, why } = stoppedBecause[effect.why]
    const { violation, said } = effect
    const broke = violation === null ? '' : ` It broke a rule: ${violation}.`
    const words = said === null ? '' : ` It ended with: ${said}`
    return {
      state: 'failed',
      reason: violation === null ? reason : `${reason}; ${violation}`,
      exitCode: null,
      output: null,
      result: cappedResult({
        type: effect.why === 'cancelled' ? 'cancelled' : 'error',
        text: `This call was stopped while it ran, because ${why}. It may have taken effect in part.${broke}${words}`,
      }),
    }
  }
  const { result } = effect
  const capped = cappedResult({
    type: result.type,
    output: await untilStored(() => keepStreams(ctx.db, claimed.at.call.id, result)),
    text: `${await changeNotice(ctx, claimed)}${result.text}`,
  })
  const files = await untilStored(() => keepFiles(ctx.db, result.files))
  return {
    state: result.type === 'output' ? 'succeeded' : 'failed',
    reason: result.violation ?? result.unfit ?? null,
    exitCode: result.exitCode ?? null,
    output: capped.output ?? null,
    result: { ...capped, files },
  }
}

/** The model is told when a person changed its call, and into what (product.md 11). */
async function changeNotice(ctx: WorkerContext, claimed: Claimed): Promise<string> {
  const { at, plan } = claimed
  if (at.request === null) return ''
  const { revision, previous } = at.request
  if (revision === 1 && previous.length === 0) return ''
  const edit = await ctx.db
    .selectFrom('request_revision')
    .innerJoin('person', 'person.id', 'request_revision.editor_id')
    .select('person.name')
    .where('request_id', 'in', [at.request.id, ...previous])
    .orderBy('request_revision.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return edit === undefined ? '' : changedText(edit.name, plan.input)
}

async function lose(
  ctx: WorkerContext,
  at: CallAtHand,
  attempt: number,
  why: string,
): Promise<CallOutcome | null> {
  const policy = await ctx.policies.inForce()
  return inUnitOfWork(ctx, async (unit): Promise<CallOutcome | null> => {
    const now = await lockCall(unit.tx, at.call.id)
    if (now?.execution?.state !== 'started' || now.execution.attempt !== attempt) {
      return { kind: 'done' }
    }
    if (await repeatAttempt(unit, now, why)) return null
    const check = await loseExecution(unit, policy, now, why)
    if (check === null) return { kind: 'done' }
    const deadline = await nextDeadlineMs(unit.tx, at.run.id)
    return { kind: 'wait', requestIds: [check], nextDeadlineMs: deadline }
  })
}

/** What happened is worth more than one try: while the database is away, the end of an effect is kept and stored again. */
async function untilStored<T>(store: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + storeWithinMs
  for (;;) {
    try {
      return await store()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await delay(storeEveryMs)
    }
  }
}
