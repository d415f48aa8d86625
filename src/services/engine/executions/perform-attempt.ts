import type { CommitIdentity } from '#domain/tools/commit-identity.ts'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import { changedText } from '../../transcript/result-texts.ts'
import { untilStored } from '#store/connection/until-stored.ts'
import { watchChanges } from '#tools/files/watch-changes.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { isStillValid } from '../../core/elapsed-time.ts'
import { mayStillRun } from '../starting/confirm-start.ts'
import type { StartedAttempt } from '../starting/start-execution.ts'
import { renewRequest } from './renew-request.ts'
import { lockCall, readCall, type CallAtHand } from '../attempts/call-at-hand.ts'
import { cappedResult } from '../attempts/capped-result.ts'
import { carryOut, watchStop, type CallStop, type Effect, type StopOfCall } from './carry-out.ts'
import { endEarlierAttempt } from '../attempts/end-earlier-attempt.ts'
import type { ExecutionPlan } from '../attempts/execution-plan.ts'
import { finishExecution, notCarriedOut, type ExecutionEnd } from '../attempts/finish-execution.ts'
import { storeFiles, storeStreams } from './store-output.ts'
import { loseExecution } from '../attempts/lose-execution.ts'
import { keyAttemptOf, repeatAttempt } from '../attempts/repeat-attempt.ts'
import { commitIdentity } from '../attempts/commit-identity.ts'
import { recordInLedger } from '../attempts/record-in-ledger.ts'
import { undoStart } from '../attempts/undo-start.ts'
import { bySystem, executor } from '../../core/authority.ts'

interface AttemptToPerform extends StartedAttempt {
  readonly at: CallAtHand
  readonly plan: ExecutionPlan
  readonly signal: AbortSignal
  /** aborts when the next attempt is about to begin in this process */
  readonly again: AbortSignal
}

/**
 * `null`: the caller reads the state of the call again. `given up`: this process stood still after
 * the start, and others settled the attempt, which did nothing.
 */
export type AttemptEnd = CallOutcome | 'given up' | null

/** Carries out a started attempt and stores how it ended. */
export async function performAttempt(
  ctx: WorkerContext,
  toPerform: AttemptToPerform,
): Promise<AttemptEnd> {
  const { at, attempt, signal, again } = toPerform
  const watched = { runId: at.run.id, callId: at.call.id, attempt, signal, again }
  const stop = await watchStop(ctx, watched)
  try {
    return await performUntil(ctx, toPerform, stop)
  } finally {
    stop.unwatch()
  }
}

async function performUntil(
  ctx: WorkerContext,
  toPerform: AttemptToPerform,
  stop: CallStop,
): Promise<AttemptEnd> {
  const { at, plan, attempt, startId, elapsedMs, signal } = toPerform
  const keyAttempt = keyAttemptOf(at)
  const { request_id: requestId } = at.call
  const identity = { callId: at.call.id, requestId, attempt, digest: plan.digest }
  const entry = await recordInLedger(ctx, { ...toPerform, stop: stop.signal })
  if (entry === 'spent') return lose(ctx, at, attempt, spentBefore, { mayRepeat: false })
  if (entry === 'used') {
    await untilStored(() => undoStart(ctx, { callId: at.call.id, attempt }, 'lapsed'))
    return null
  }
  if (entry === 'failed') {
    const end = stop.signal.aborted ? stoppedBefore(stop.signal) : ledgerFailed
    await untilStored(() => finishExecution(ctx, identity, end))
    return { kind: 'done' }
  }
  if (!(await endEarlierAttempt(ctx, at))) {
    await untilStored(() => finishExecution(ctx, identity, earlierStillRuns))
    return { kind: 'done' }
  }
  const commits = plan.tool.command !== undefined || plan.tool.commits === true
  const commit = commits ? await commitOf(ctx, toPerform) : null
  const start = { ...identity, startId }
  if (!(await isStillValid(elapsedMs, () => mayStillRun(ctx, start)))) return 'given up'
  if (stop.signal.aborted) {
    await untilStored(() => finishExecution(ctx, identity, stoppedBefore(stop.signal)))
    return { kind: 'done' }
  }
  const { workspace, changes } = watchChanges(plan.workspace)
  const effect = await carryOut(ctx, {
    runId: at.run.id,
    callId: at.call.id,
    attempt,
    keyAttempt,
    plan: { ...plan, workspace },
    commit,
    stop: stop.signal,
  })
  if (effect.kind === 'stale') {
    const isAsked = plan.authorisation.by === 'permit'
    if (!isAsked && (await staleBefore(ctx, at.call.id)) + 1 >= maxStaleAttempts) {
      await untilStored(() => finishExecution(ctx, identity, alwaysStale))
      return { kind: 'done' }
    }
    await untilStored(entry.undo)
    await untilStored(() => undoStart(ctx, { callId: at.call.id, attempt }, 'stale'))
    const now = await readCall(ctx.db, at.call.id)
    if (isAsked && now !== null) {
      await renewRequest(ctx, { at: now, judgement: plan.judgement, refusal: null, signal })
    }
    return null
  }
  if (effect.kind === 'lost') return lose(ctx, at, attempt, effect.why, { mayRepeat: true })
  const end = await endOf(ctx, toPerform, effect)
  const all = [...changes, ...(end.changes ?? [])]
  await untilStored(() => finishExecution(ctx, identity, { ...end, changes: all }))
  return { kind: 'done' }
}

const spentBefore =
  'the ledger of its host says that it was carried out before, and the database does not show that'

/** A call without a request ends with an error after this many stale attempts. */
const maxStaleAttempts = 10

/** How many attempts of a call found that something else had changed what they would change. */
async function staleBefore(ctx: WorkerContext, callId: string): Promise<number> {
  const stale = ctx.db
    .selectFrom('execution')
    .select('attempt')
    .where('call_id', '=', callId)
    .where('reason', '=', 'stale')
  return (await untilStored(() => stale.execute())).length
}

const alwaysStale = notCarriedOut(
  'always stale',
  `This call was not carried out, because something else changed what it would change before each of ${maxStaleAttempts} attempts. Look at it again.`,
)

const ledgerFailed = notCarriedOut(
  'ledger not written',
  'This call was not carried out, because its host could not write its ledger (is the disk full?).',
)

async function commitOf(
  ctx: WorkerContext,
  { at, plan }: AttemptToPerform,
): Promise<CommitIdentity> {
  return untilStored(async () => {
    const { config } = await ctx.policies.byDigest(plan.policyDigest)
    return commitIdentity(ctx.db, at, plan, config.commit)
  })
}

const earlierStillRuns = notCarriedOut(
  'earlier attempt still runs',
  'This call was not carried out again, because an earlier attempt at it could not be ended.',
)

const stoppedBecause = {
  shutdown: { reason: 'stopped', why: 'its host was stopped' },
  cancelled: { reason: 'cancelled', why: 'the run was cancelled' },
  again: { reason: 'again', why: 'a person wants it carried out once more' },
} as const

/** The end of an attempt whose stop came before its tool began. */
function stoppedBefore(stop: AbortSignal): ExecutionEnd {
  const stopReason = stop.reason as StopOfCall
  const { reason, why } = stoppedBecause[stopReason]
  const end = notCarriedOut(reason, `This call was not carried out, because ${why}.`)
  return stopReason === 'cancelled' ? { ...end, result: { ...end.result, type: 'cancelled' } } : end
}

async function endOf(
  ctx: WorkerContext,
  toPerform: AttemptToPerform,
  effect: Extract<Effect, { kind: 'returned' | 'stopped' }>,
): Promise<ExecutionEnd> {
  if (effect.kind === 'stopped') {
    const { reason, why } = stoppedBecause[effect.why]
    const { violation, lastText } = effect
    const broke = violation === null ? '' : ` It broke a rule: ${violation}.`
    const ending = lastText === null ? '' : ` It ended with: ${lastText}`
    return {
      state: 'failed',
      reason: violation === null ? reason : `${reason}; ${violation}`,
      exitCode: null,
      output: null,
      result: cappedResult({
        type: effect.why === 'cancelled' ? 'cancelled' : 'error',
        text: `This call was stopped while it ran, because ${why}. It may have taken effect in part.${broke}${ending}`,
      }),
    }
  }
  const { result } = effect
  const capped = cappedResult({
    type: result.type,
    output: await untilStored(() => storeStreams(ctx.db, toPerform.at.call.id, result)),
    text: `${await untilStored(() => changeNotice(ctx, toPerform))}${result.text}`,
  })
  const files = await untilStored(() => storeFiles(ctx.db, result.files))
  return {
    state: result.type === 'output' ? 'succeeded' : 'failed',
    reason: result.violation ?? result.unfit ?? null,
    exitCode: result.exitCode ?? null,
    output: capped.output ?? null,
    result: { ...capped, files },
    ...(result.changes === undefined
      ? {}
      : { changes: result.changes.files, moreChanges: result.changes.more }),
  }
}

/** The notice to the model that a person edited its call, with the edited input (product.md 11). */
async function changeNotice(ctx: WorkerContext, toPerform: AttemptToPerform): Promise<string> {
  const { at, plan } = toPerform
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
  { mayRepeat }: { readonly mayRepeat: boolean },
): Promise<CallOutcome | null> {
  const policy = await ctx.policies.inForce()
  return inUnitOfWork(ctx, bySystem(ctx, executor), async (unit): Promise<CallOutcome | null> => {
    const now = await lockCall(unit.tx, at.call.id)
    if (now?.execution?.state !== 'started' || now.execution.attempt !== attempt) {
      return { kind: 'done' }
    }
    if (mayRepeat && (await repeatAttempt(unit, now, why))) return null
    return loseExecution(unit, policy, now, why)
  })
}
