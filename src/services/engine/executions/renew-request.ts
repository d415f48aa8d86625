import type { Judgement } from '#domain/deciding/judgement.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { openAttachments } from '../delegation/attachments.ts'
import { endAttachments, supersedeAttachments } from '../../requests/ending/lock-delegation.ts'
import { openingOf, openRequest } from '../../requests/opening/open-request.ts'
import { judgementCaller, agentReasonOf, recordVerdict } from '../judging/record-verdict.ts'
import { storePresented } from '../../requests/opening/store-presented.ts'
import { presentCall, type PresentationResult } from '../judging/present-call.ts'
import { placeOfRun } from '../../core/run-place.ts'
import { termsOf } from '../../core/run-terms.ts'
import { storeResult } from '../../transcript/store-result.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { lockCall, nextAttemptOf, type CallAtHand } from '../attempts/call-at-hand.ts'
import { refuseExecution, type RefusedAttempt } from '../attempts/refuse-execution.ts'
import { bySystem } from '../../core/authority.ts'

type PresentedCall = Extract<PresentationResult, { ok: true }>

export interface RenewalInput {
  readonly at: CallAtHand
  readonly judgement: Judgement
  /** the approved attempt that this refuses, if there was one */
  readonly refusal: RefusedAttempt | null
  readonly signal: AbortSignal
}

/**
 * Opens a new request, with a new presentation, about a call that changed after its approval, or
 * the first one about a call that was pre-approved; `previous` begins with the old one (product.md
 * 14). A call that can no longer be presented, or that in its edited form needs no request, ends
 * with an error.
 */
export async function renewRequest(ctx: WorkerContext, renewal: RenewalInput): Promise<void> {
  const { at, judgement } = renewal
  const presented = await presentAgain(ctx, renewal)
  const caller = judgementCaller(judgement)
  await inUnitOfWork(ctx, bySystem(ctx, caller), async (unit) => {
    const current = await lockCall(unit.tx, at.call.id)
    if (current === null || isEnd(runTransitions, current.run.state)) return
    if (!isSame(current, at)) return
    const { refusal } = renewal
    const attempt =
      refusal === null
        ? nextAttemptOf(current)
        : (await refuseExecution(unit, caller, current, refusal)) + 1
    if (typeof presented === 'string') {
      await storeResult(unit.tx, current.call.id, { type: 'error', text: presented })
      return
    }
    await openRenewed(unit, current, judgement, presented, attempt, null)
  })
}

/** Whether nobody else has refused or started the call, or opened a request, since it was read. */
function isSame(current: CallAtHand, earlier: CallAtHand): boolean {
  return (
    current.call.result_type === null &&
    current.call.request_id === earlier.call.request_id &&
    nextAttemptOf(current) === nextAttemptOf(earlier)
  )
}

/** The presentation, or a sentence for the model why there is none. */
async function presentAgain(
  ctx: WorkerContext,
  renewal: RenewalInput,
): Promise<PresentedCall | string> {
  const { at, judgement } = renewal
  if (judgement.verdict !== 'ask' || judgement.routing === null) {
    return 'The effect of this call is no longer the one that was approved, so it was not carried out. Read the present state before you try again.'
  }
  const { policy } = await termsOf(ctx, at.run)
  const place = placeOfRun(at.run)
  const registry = await ctx.registryOf(policy, at.run.worker, [judgement.tool], place)
  const tool = registry.get(judgement.tool)
  if (tool === undefined) return `The tool ${judgement.tool} no longer exists.`
  const workspace = await ctx.workspaceOf(place, policy)
  const presented = await presentCall(tool, judgement, { workspace, signal: renewal.signal })
  return presented.ok ? presented : presented.text
}

/**
 * Opens the request that replaces the call's last one, with which its `previous` begins. The caller
 * holds the run's lock.
 */
export async function openRenewed(
  unit: UnitOfWork,
  at: CallAtHand,
  judgement: Judgement,
  presentation: PresentedCall,
  attempt: number,
  assumes: number | null,
): Promise<void> {
  const caller = judgementCaller(judgement)
  await recordVerdict(unit, caller, at.run, at.call, judgement)
  const presented = await storePresented(unit.tx, judgement, presentation.presented, assumes)
  const agentReasonHash = await agentReasonOf(unit.tx, at.call.id)
  const old = at.request
  const requestId = await openRequest(unit, caller, {
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
  const { attachments } = presentation
  const replaced = await endAttachments(unit, call.id)
  const newIds = await openAttachments(unit, caller, {
    run,
    call,
    judgement,
    attachments,
    agentReasonHash,
    attempt,
    replaced,
  })
  await supersedeAttachments(unit, replaced, newIds, requestId)
  if (old === null) return
  await unit.tx
    .updateTable('request')
    .set({ superseded_by: requestId })
    .where('id', '=', old.id)
    .execute()
  await unit.event('request.changed', { requestId: old.id, runId: at.run.id })
}
