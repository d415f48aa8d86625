import type { Json } from '#domain/json/json.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import { getText } from '#store/content/content.ts'
import { cancelPending } from '../../requests/ending/cancel-requests.ts'
import { placeOfRun } from '../../core/run-place.ts'
import { lockRequests } from '../../core/locks.ts'
import { addEarlier, siblingCalls } from '../judging/earlier-proposals.ts'
import { judgeOne } from '../judging/judge-one.ts'
import { judgementCaller, recordVerdict, storeRefusal } from '../judging/record-verdict.ts'
import { accessesOf } from '../judging/judge-turn.ts'
import { presentCall, type PresentationResult } from '../judging/present-call.ts'
import { storeResult } from '../../transcript/store-result.ts'
import { TurnProposals } from '../judging/turn-proposals.ts'
import { termsOf } from '../../core/run-terms.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { openRenewed } from './renew-request.ts'
import { lockCall, readCall, type CallAtHand } from '../attempts/call-at-hand.ts'
import { changedBase } from '../attempts/check-bases.ts'
import { bySystem } from '../../core/authority.ts'
import { invocationOf } from '../../requests/people/principals-of-call.ts'

/**
 * Renews requests when a call has its result (product.md 15): those of later calls of its turn that
 * are pending, whose presentation assumed what this call proposed, and would differ now. Nobody
 * then decides about a state that cannot occur.
 */
export async function renewDependents(
  ctx: WorkerContext,
  callId: string,
  signal: AbortSignal,
): Promise<void> {
  const laterCalls = await siblingCalls(ctx.db, callId, '>')
    .select(['other.id', 'revision.facts'])
    .where('own.result_type', 'is not', null)
    .where('request.state', '=', 'pending')
    .execute()
  for (const { id, facts } of laterCalls) {
    if (facts?.assumes !== undefined) await reconsider(ctx, id, signal)
  }
}

async function reconsider(ctx: WorkerContext, callId: string, signal: AbortSignal): Promise<void> {
  const at = await readCall(ctx.db, callId)
  if (at?.request?.state !== 'pending') return
  const { request, run } = at
  const revision = await ctx.db
    .selectFrom('request_revision')
    .selectAll()
    .where('request_id', '=', request.id)
    .where('revision', '=', request.revision)
    .executeTakeFirstOrThrow()
  const terms = await termsOf(ctx, run)
  const { policy } = terms
  const place = placeOfRun(run)
  const registry = await ctx.registryOf(policy, run.worker, [request.tool], place)
  const proposals = new TurnProposals(await ctx.workspaceOf(place, policy))
  await addEarlier(ctx, callId, proposals, registry)
  const input = JSON.parse(await getText(ctx.db, revision.input_hash)) as Json
  const assumed = await proposals.below(() => accessesOf(registry, request.tool, input))
  if ((await changedBase(assumed.workspace, revision.facts)) === null) return
  const judgement = await judgeOne(ctx, {
    run,
    terms,
    registry,
    tool: request.tool,
    input,
    hasDuplicateId: false,
    invocation: invocationOf(at.call),
    canUseGrants: false,
    assumed,
  })
  const tool = registry.get(request.tool)
  const presentation =
    tool === undefined || judgement.verdict !== 'ask'
      ? null
      : await presentCall(tool, judgement, { workspace: assumed.workspace, signal })
  await replace(ctx, at, judgement, presentation, assumed.assumes)
}

/** Cancels the request and opens a new one, or stores the call's refusal. */
async function replace(
  ctx: WorkerContext,
  earlier: CallAtHand,
  judgement: Judgement,
  presentation: PresentationResult | null,
  assumes: number | null,
): Promise<void> {
  const caller = judgementCaller(judgement)
  await inUnitOfWork(ctx, bySystem(ctx, caller), async (unit) => {
    const at = await lockCall(unit.tx, earlier.call.id)
    if (at === null || at.request === null) return
    const [request] = await lockRequests(unit.tx, [at.request.id])
    const isUnchanged =
      request?.id === earlier.request?.id && request?.revision === earlier.request?.revision
    if (request?.state !== 'pending' || !isUnchanged) return
    await cancelPending(unit, request, 'superseded')
    if (presentation?.ok === true) {
      await openRenewed(unit, at, judgement, presentation, request.attempt, assumes)
    } else {
      await recordVerdict(unit, caller, at.run, at.call, judgement)
      if (presentation !== null)
        await storeResult(unit.tx, at.call.id, { type: 'error', text: presentation.text })
      else await storeRefusal(unit.tx, at.call.id, judgement)
    }
    // The workflow waits for the old request: the signal makes it read the call and its new
    // request.
    const payload = { requestIds: [request.id] }
    await unit.enqueue({ kind: 'signal_decided', runId: at.run.id, payload })
  })
}
