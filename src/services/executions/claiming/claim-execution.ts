import { v7 as uuidv7 } from 'uuid'
import type { AuditEntry } from '../../../domain/audit-event.ts'
import { isEnd, runTransitions } from '../../../domain/transitions.ts'
import type { JsonObject } from '../../../domain/json.ts'
import type { CallOutcome } from '../../../domain/workflow-outcomes.ts'
import { canonicalJson } from '../../../domain/digest.ts'
import { putContent } from '../../../store/content/content.ts'
import type { Tx } from '../../../store/database.ts'
import type { Caller } from '../../context.ts'
import { attachmentsHold, openChildRun, spendAttachments } from '../../delegation/open-child-run.ts'
import type { DelegationPlan } from '../../delegation/plan-delegation.ts'
import { findGrant } from '../../grants/find-grant.ts'
import { useGrant } from '../../grants/use-grant.ts'
import { nextDeadlineMs } from '../../runs/advance-requests.ts'
import { inUnitOfWork, type UnitOfWork } from '../../unit-of-work.ts'
import type { WorkerContext } from '../../worker-context.ts'
import { lockCall, nextAttemptOf, type CallAtHand, type PermitAtHand } from './call-at-hand.ts'
import type { ExecutionPlan } from './execution-plan.ts'
import { isRepeated, keyAttemptOf } from '../attempts/repeat-attempt.ts'
import { checkPermit } from './plan-approved.ts'
import { startAttempt } from '../attempts/start-attempt.ts'

/** `look`: something changed between verifying and claiming; look again. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly attempt: number }
  | { readonly kind: 'look' }
  | { readonly kind: 'answer'; readonly outcome: CallOutcome }

/**
 * Claims a verified call: under the locks everything that can end a right is read again, the permit or one use of the
 * grant is consumed, and the attempt is marked `started`, in one transaction; a delegation's run is written with it. Of
 * several that try, one claims.
 */
export async function claimExecution(
  ctx: WorkerContext,
  seen: CallAtHand,
  plan: ExecutionPlan,
  delegation: DelegationPlan | null,
): Promise<Claimed> {
  const callId = seen.call.id
  const { authority } = plan
  const requestIds = new Set(seen.call.request_id === null ? [] : [seen.call.request_id])
  if (authority.by === 'permit') requestIds.add(authority.requestId)
  for (const { requestId } of delegation?.permits ?? []) requestIds.add(requestId)
  return inUnitOfWork(ctx, async (unit) => {
    const { tx } = unit
    const at = await lockCall(tx, callId, [...requestIds])
    if (at === null || isEnd(runTransitions, at.run.state)) {
      return { kind: 'answer', outcome: { kind: 'ended' } }
    }
    if (at.call.result_type !== null || isOpen(at)) return { kind: 'look' }
    if (at.call.request_id !== seen.call.request_id) return { kind: 'look' }
    const earlier = await earlierWaits(tx, at)
    if (earlier !== null) return { kind: 'answer', outcome: earlier }
    const attempt = nextAttemptOf(at)
    const caller: Caller = {
      actor: { type: 'system', name: 'executor' },
      channel: 'workflow',
    }
    if (delegation !== null && !(await attachmentsHold(tx, delegation))) return { kind: 'look' }
    if (!(await holdsRight(ctx, unit, caller, at, plan))) return { kind: 'look' }
    const childRunId = delegation === null ? null : uuidv7()
    const inputHash = plan.inputHash ?? (await putContent(tx, canonicalJson(plan.input)))
    const started = await startAttempt(tx, {
      callId,
      attempt,
      requestId: authority.by === 'permit' ? at.call.request_id : null,
      permitId: authority.by === 'permit' ? authority.permitId : null,
      grantId: authority.by === 'grant' ? authority.grantId : null,
      digest: plan.digest,
      executor: ctx.executor,
      detail: {
        inputHash,
        ...repetition(plan, at),
        ...(childRunId === null ? {} : { childRunId }),
      },
      facts: plan.facts,
    })
    if (!started) return { kind: 'look' }
    if (at.held !== null && authority.by === 'permit') {
      await unit.audit(permitConsumed(caller, at, at.held, plan))
    }
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
        ...(plan.tool.unconfined === true ? { sandbox: 'none' } : {}),
        ...(childRunId === null ? {} : { childRunId }),
      },
    })
    if (delegation !== null && childRunId !== null) {
      await spendAttachments(unit, caller, at, delegation)
      const { policyDigest } = plan
      await openChildRun(unit, at, delegation, { id: childRunId, policyDigest })
    }
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

/** Whether the right that was verified is still there; one use of a grant is claimed with it. */
async function holdsRight(
  ctx: WorkerContext,
  unit: UnitOfWork,
  caller: Caller,
  at: CallAtHand,
  plan: ExecutionPlan,
): Promise<boolean> {
  const { authority } = plan
  if (authority.by === 'policy') return at.call.verdict === 'preApproved'
  if (authority.by === 'permit') {
    const { held } = at
    return held?.permit.id === authority.permitId && checkPermit(ctx, at, held, plan.digest).ok
  }
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
    // As the plan found them: the tool itself compares once more, right before it acts.
    restsOn: async () => (plan.tool.restsOn === undefined ? null : plan.facts),
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

function permitConsumed(
  caller: Caller,
  at: CallAtHand,
  { permit, request }: PermitAtHand,
  plan: ExecutionPlan,
): AuditEntry {
  return {
    type: 'permit.consumed',
    ...caller,
    runId: at.run.id,
    requestId: request.id,
    callId: at.call.id,
    digest: plan.digest,
    policyDigest: request.policy_digest,
    detail: { permitId: permit.id, attempt: permit.attempt },
  }
}
