import type { Judgement } from '../../../domain/judgement.ts'
import { isEnd, runTransitions } from '../../../domain/transitions.ts'
import { openAttachments } from '../../delegation/attachments.ts'
import { supersedeAttachments } from '../../delegation/companions.ts'
import { openingOf, openRequest } from '../../requests/open-request.ts'
import { judgementCaller } from '../../turns/judging/judgement-caller.ts'
import { agentReasonOf, recordVerdict } from '../../turns/judging/record-verdict.ts'
import { presentCall, storePresented, type CallShown } from '../../turns/present-call.ts'
import { termsOf } from '../../runs/starting/run-terms.ts'
import { storeResult } from '../../runs/transcript/store-result.ts'
import { inUnitOfWork, type UnitOfWork } from '../../unit-of-work.ts'
import type { WorkerContext } from '../../worker-context.ts'
import { lockCall, nextAttemptOf, type CallAtHand } from '../claiming/call-at-hand.ts'
import { refuseExecution, type RefusedAttempt } from './refuse-execution.ts'

type Shown = Extract<CallShown, { ok: true }>

export interface FreshQuestion {
  readonly at: CallAtHand
  readonly judgement: Judgement
  /** the approved attempt that is refused by this, if one was approved */
  readonly refused: RefusedAttempt | null
  readonly signal: AbortSignal
}

/**
 * Asks again about a call that changed under its approval, or asks for the first time about one that was pre-approved:
 * a fresh request with a fresh presentation, whose `previous` begins with the old one (product.md 14). A call that
 * cannot be presented any more, or that nobody need be asked about in its edited form, ends with an error.
 */
export async function askAfresh(ctx: WorkerContext, question: FreshQuestion): Promise<void> {
  const { at, judgement } = question
  const shown = await showAgain(ctx, question)
  await inUnitOfWork(ctx, async (unit) => {
    const now = await lockCall(unit.tx, at.call.id)
    if (now === null || isEnd(runTransitions, now.run.state)) return
    if (!isSame(now, at)) return
    const caller = judgementCaller(judgement)
    const { refused } = question
    const attempt =
      refused === null
        ? nextAttemptOf(now)
        : (await refuseExecution(unit, caller, now, refused)) + 1
    if (typeof shown === 'string') {
      await storeResult(unit.tx, now.call.id, { type: 'error', text: shown })
      return
    }
    await openFresh(unit, now, judgement, shown, attempt, null)
  })
}

/** Nobody else has refused, claimed or asked about it since it was looked at. */
function isSame(now: CallAtHand, then: CallAtHand): boolean {
  return (
    now.call.result_type === null &&
    now.call.request_id === then.call.request_id &&
    nextAttemptOf(now) === nextAttemptOf(then)
  )
}

/** What is shown, or why the call cannot be asked about. */
async function showAgain(ctx: WorkerContext, question: FreshQuestion): Promise<Shown | string> {
  const { at, judgement } = question
  if (judgement.verdict !== 'ask' || judgement.routing === null) {
    return 'What this call would change is no longer what was approved, and it was not carried out. Look again before trying again.'
  }
  const { policy } = await termsOf(ctx, at.run)
  const registry = await ctx.registryOf(policy, at.run.worker)
  const tool = registry.get(judgement.tool)
  if (tool === undefined) return `There is no tool ${judgement.tool} any more.`
  const workspace = await ctx.workspaceOf({ taskQueue: at.run.task_queue }, policy)
  const shown = await presentCall(tool, judgement, { workspace, signal: question.signal })
  return shown.ok ? shown : shown.text
}

/**
 * Opens the request that takes the place of the call's last one, whose `previous` begins with it. The caller holds the
 * run's lock.
 */
export async function openFresh(
  unit: UnitOfWork,
  at: CallAtHand,
  judgement: Judgement,
  shown: Shown,
  attempt: number,
  assumes: number | null,
): Promise<void> {
  const caller = judgementCaller(judgement)
  await recordVerdict(unit, caller, at.run, at.call, judgement)
  const presented = await storePresented(unit.tx, judgement, shown.presented, assumes)
  const agentReasonHash = await agentReasonOf(unit.tx, at.run.id, at.call.turn)
  const old = at.request
  const { requestId } = await openRequest(unit, caller, {
    kind: 'tool_call',
    run: at.run,
    call: at.call,
    ...openingOf(judgement),
    presented,
    agentReasonHash,
    attempt,
    previous: old === null ? [] : [old.id, ...old.previous],
    outcomeOf: null,
  })
  await unit.tx
    .updateTable('tool_call')
    .set({ request_id: requestId })
    .where('id', '=', at.call.id)
    .execute()
  const { run, call } = at
  const { attachments } = shown
  await supersedeAttachments(unit, caller, call.id, requestId)
  await openAttachments(unit, caller, {
    run,
    call,
    judgement,
    attachments,
    agentReasonHash,
    attempt,
  })
  if (old === null) return
  await unit.tx
    .updateTable('request')
    .set({ superseded_by: requestId })
    .where('id', '=', old.id)
    .execute()
  await unit.event('request.changed', { requestId: old.id, runId: at.run.id })
}
