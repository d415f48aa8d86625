import { sql } from 'kysely'
import { isEnd, runTransitions } from '../../domain/transitions.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { CallOutcome } from '../../domain/workflow-outcomes.ts'
import { canonicalJson } from '../../domain/digest.ts'
import { putContent } from '../../store/content.ts'
import { toJsonb, type Tx } from '../../store/database.ts'
import type { Caller } from '../context.ts'
import { findGrant } from '../grants/find-grant.ts'
import { useGrant } from '../grants/use-grant.ts'
import { lockRequests } from '../locks.ts'
import { nextDeadlineMs } from '../runs/advance-requests.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import type { WorkerContext } from '../worker-context.ts'
import { lockCall, nextAttemptOf, type CallAtHand } from './call-at-hand.ts'
import type { ExecutionPlan } from './execution-plan.ts'
import { isRepeated, keyAttemptOf } from './repeat-attempt.ts'
import { checkPermit, readPermit } from './plan-approved.ts'

/** `look`: something changed between verifying and claiming; look again. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly attempt: number }
  | { readonly kind: 'look' }
  | { readonly kind: 'answer'; readonly outcome: CallOutcome }

/**
 * Claims a verified call: under the locks everything that can end a right is read again, the permit or one use of the
 * grant is consumed, and the attempt is marked `started`, in one transaction. Of several that try, one claims.
 */
export async function claimExecution(
  ctx: WorkerContext,
  callId: string,
  plan: ExecutionPlan,
): Promise<Claimed> {
  return inUnitOfWork(ctx, async (unit) => {
    const { tx } = unit
    const at = await lockCall(tx, callId)
    if (at === null || isEnd(runTransitions, at.run.state)) {
      return { kind: 'answer', outcome: { kind: 'ended' } }
    }
    if (at.call.result_type !== null || isOpen(at)) return { kind: 'look' }
    const earlier = await earlierWaits(tx, at)
    if (earlier !== null) return { kind: 'answer', outcome: earlier }
    const attempt = nextAttemptOf(at)
    const caller: Caller = {
      actor: { type: 'system', name: 'executor' },
      channel: 'workflow',
    }
    if (!(await consumeRight(ctx, unit, caller, at, plan))) return { kind: 'look' }
    const { authority } = plan
    const inputHash = plan.inputHash ?? (await putContent(tx, canonicalJson(plan.input)))
    await tx
      .with('started', (query) =>
        query
          .updateTable('tool_call')
          .set({ facts: toJsonb(plan.facts) })
          .where('id', '=', callId),
      )
      .insertInto('execution')
      .values({
        call_id: callId,
        attempt,
        state: 'started',
        request_id: authority.by === 'permit' ? at.call.request_id : null,
        permit_id: authority.by === 'permit' ? authority.permitId : null,
        grant_id: authority.by === 'grant' ? authority.grantId : null,
        executed_digest: plan.digest,
        executor: ctx.executor,
        detail: toJsonb({ inputHash, ...repetition(plan, at) }),
        epoch: sql<number>`(select epoch from installation)`,
        started_at: sql<Date>`clock_timestamp()`,
      })
      .execute()
    await unit.audit({
      type: 'execution.started',
      ...caller,
      runId: at.run.id,
      ...(at.call.request_id === null ? {} : { requestId: at.call.request_id }),
      callId,
      digest: plan.digest,
      policyDigest: plan.policyDigest,
      detail: {
        attempt,
        tool: plan.tool.name,
        by: authority.by,
        rule: plan.judgement.rule?.id ?? null,
        executor: ctx.executor,
      },
    })
    if (at.call.request_id !== null) {
      await unit.event('request.changed', { requestId: at.call.request_id, runId: at.run.id })
    }
    return { kind: 'claimed', attempt }
  })
}

/** Kept where a second attempt does no harm: the tool only reads, or says so itself. */
function repetition({ tool }: ExecutionPlan, at: CallAtHand): JsonObject {
  if (!tool.readOnly && !tool.idempotent) return {}
  return isRepeated(at) ? { repeatable: true, keyAttempt: keyAttemptOf(at) } : { repeatable: true }
}

/** An attempt is under way, or nobody knows yet how it ended. */
function isOpen(at: CallAtHand): boolean {
  const { execution } = at
  if (execution === null) return false
  return (
    execution.state === 'started' ||
    (execution.state === 'unknown' && execution.settled_then !== 'again')
  )
}

/** Calls with effects keep the model's order, whoever asks for this one (product.md 15). */
async function earlierWaits(tx: Tx, at: CallAtHand): Promise<CallOutcome | null> {
  if (at.call.read_only && at.call.verdict === 'preApproved') return null
  if (at.earlier.length === 0) return null
  const requestIds = at.earlier.flatMap(({ requestId }) => (requestId === null ? [] : [requestId]))
  return { kind: 'wait', requestIds, nextDeadlineMs: await nextDeadlineMs(tx, at.run.id) }
}

async function consumeRight(
  ctx: WorkerContext,
  unit: UnitOfWork,
  caller: Caller,
  at: CallAtHand,
  plan: ExecutionPlan,
): Promise<boolean> {
  const { authority } = plan
  if (authority.by === 'policy') return at.call.verdict === 'preApproved'
  if (authority.by === 'permit') return consumePermit(ctx, unit, caller, at, plan, authority)
  const path = plan.tool.accesses(plan.input)
  const found = await findGrant(unit.tx, ctx.verifier, {
    runId: at.run.id,
    rootRunId: at.run.root_run_id,
    call: {
      tool: plan.tool.name,
      digest: plan.digest,
      toolHash: plan.facts.toolHash,
      path: path.length === 1 ? (path[0]?.path ?? null) : null,
    },
  })
  if (found === null || found.id !== authority.grantId) return false
  const { id: runId } = at.run
  return useGrant(unit, caller, {
    grantId: found.id,
    runId,
    callId: at.call.id,
    digest: plan.digest,
    policyDigest: plan.policyDigest,
  })
}

async function consumePermit(
  ctx: WorkerContext,
  unit: UnitOfWork,
  caller: Caller,
  at: CallAtHand,
  plan: ExecutionPlan,
  authority: { readonly permitId: string; readonly requestId: string },
): Promise<boolean> {
  await lockRequests(
    unit.tx,
    [authority.requestId, at.call.request_id ?? authority.requestId].filter(
      (id, index, ids) => ids.indexOf(id) === index,
    ),
  )
  const held = await readPermit(unit.tx, at.call.id)
  if (held === null || held.permit.id !== authority.permitId) return false
  const allowed = checkPermit(ctx, at, held, plan.digest)
  if (!allowed.ok) return false
  const consumed = await unit.tx
    .updateTable('permit')
    .set({ state: 'consumed', ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', held.permit.id)
    .where('state', '=', 'live')
    .executeTakeFirst()
  if (consumed.numUpdatedRows !== 1n) return false
  await unit.audit({
    type: 'permit.consumed',
    ...caller,
    runId: at.run.id,
    requestId: held.request.id,
    callId: at.call.id,
    digest: plan.digest,
    policyDigest: held.request.policy_digest,
    detail: { permitId: held.permit.id, attempt: held.permit.attempt },
  })
  return true
}
