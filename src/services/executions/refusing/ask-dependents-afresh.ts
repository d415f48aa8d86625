import type { Json } from '../../../domain/json.ts'
import type { Judgement } from '../../../domain/judgement.ts'
import { getText } from '../../../store/content/content.ts'
import { aboutRequest, endRequest } from '../../decisions/ending/end-request.ts'
import { lockRequests } from '../../locks.ts'
import { addEarlier } from '../../turns/earlier-proposals.ts'
import { judgeOne } from '../../turns/judging/judge-one.ts'
import { judgementCaller } from '../../turns/judging/judgement-caller.ts'
import { accessesOf } from '../../turns/judging/judge-turn.ts'
import { otherCalls } from '../../turns/other-calls.ts'
import { presentCall, type CallShown } from '../../turns/present-call.ts'
import { recordVerdict, storeRefusal } from '../../turns/judging/record-verdict.ts'
import { storeResult } from '../../runs/transcript/store-result.ts'
import { TurnProposals } from '../../turns/turn-proposals.ts'
import { termsOf } from '../../runs/starting/run-terms.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import type { WorkerContext } from '../../worker-context.ts'
import { openFresh } from './ask-afresh.ts'
import { lockCall, readCall, type CallAtHand } from '../claiming/call-at-hand.ts'
import { changedBase } from '../claiming/check-bases.ts'

/**
 * Once a call has its result: later calls of its turn that were shown on top of what it proposed, still wait, and would
 * now be shown something else, are asked about afresh (product.md 15), so that nobody decides about what cannot happen.
 */
export async function askDependentsAfresh(
  ctx: WorkerContext,
  callId: string,
  signal: AbortSignal,
): Promise<void> {
  const waiting = await otherCalls(ctx.db, callId, '>')
    .select(['other.id', 'revision.facts'])
    .where('own.result_type', 'is not', null)
    .where('request.state', '=', 'pending')
    .execute()
  for (const { id, facts } of waiting) {
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
  const registry = await ctx.registryOf(policy, run.worker)
  const proposals = new TurnProposals(await ctx.workspaceOf({ taskQueue: run.task_queue }, policy))
  await addEarlier(ctx, callId, proposals, registry)
  const input = JSON.parse(await getText(ctx.db, revision.input_hash)) as Json
  const assumed = await proposals.below(await accessesOf(registry, request.tool, input))
  if ((await changedBase(assumed.workspace, revision.facts)) === null) return
  const judgement = await judgeOne(ctx, {
    run,
    terms,
    registry,
    tool: request.tool,
    input,
    duplicateId: false,
    byPerson: at.call.manual,
    grants: false,
    assumed,
  })
  const tool = registry.get(request.tool)
  const shown =
    tool === undefined || judgement.verdict !== 'ask'
      ? null
      : await presentCall(tool, judgement, { workspace: assumed.workspace, signal })
  await replace(ctx, at, judgement, shown, assumed.assumes)
}

/** Takes the request out of the queue and puts a fresh one, or the call's refusal, in its place. */
async function replace(
  ctx: WorkerContext,
  seen: CallAtHand,
  judgement: Judgement,
  shown: CallShown | null,
  assumes: number | null,
): Promise<void> {
  await inUnitOfWork(ctx, async (unit) => {
    const at = await lockCall(unit.tx, seen.call.id)
    if (at === null || at.request === null) return
    const [old] = await lockRequests(unit.tx, [at.request.id])
    const same = old?.id === seen.request?.id && old?.revision === seen.request?.revision
    if (old?.state !== 'pending' || !same) return
    const caller = judgementCaller(judgement)
    await endRequest(unit, old, { event: 'cancel', reason: 'superseded' })
    await unit.audit({
      type: 'request.cancelled',
      ...caller,
      ...aboutRequest(old),
      digest: old.digest,
      detail: { cancelReason: 'superseded' },
    })
    if (shown?.ok === true) {
      await openFresh(unit, at, judgement, shown, old.attempt, assumes)
    } else {
      await recordVerdict(unit, caller, at.run, at.call, judgement)
      if (shown !== null)
        await storeResult(unit.tx, at.call.id, { type: 'error', text: shown.text })
      else await storeRefusal(unit.tx, at.call.id, judgement)
    }
    // The workflow waits for the old request: it looks again, and finds the new one.
    const payload = { requestIds: [old.id] }
    await unit.enqueue({ kind: 'signal_decided', runId: at.run.id, payload })
  })
}
