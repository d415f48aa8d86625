import { callDigest, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { verifyPermit, type PermitVerdict } from '../../permits/permits.ts'
import { termsOf } from '../../core/run-terms.ts'
import { verifyRun } from '../../core/verify-run.ts'
import type { ServiceContext } from '../../core/context.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { nextAttemptOf, type CallAtHand, type CallApproval } from '../attempts/call-at-hand.ts'
import { changedBase } from '../attempts/check-bases.ts'
import type { ExecutionPlan, Refusal } from '../attempts/execution-plan.ts'
import { judgeAgain } from './judge-again.ts'
import { readInputText, withPolicyOf, type PlanReadings } from './read-to-plan.ts'
import { refusedUnsigned } from '../attempts/refusals.ts'

/**
 * Whether a permit is for exactly this call, attempt and time. `digest` is what the executor
 * computed itself.
 */
export function checkPermit(
  ctx: ServiceContext,
  at: CallAtHand,
  approval: CallApproval,
  digest: string,
): PermitVerdict {
  const { permit } = approval
  const undone = undoneAttempt(at, permit.id)
  const row = undone === null ? permit : { ...permit, state: 'live' as const }
  const verdict = verifyPermit(ctx, row, {
    requestId: approval.request.id,
    revision: approval.request.revision,
    runId: at.run.id,
    callId: at.call.id,
    digest,
    factsDigest: hashJson(approval.revision.facts),
    policyDigest: approval.request.policy_digest,
    attempt: undone ?? nextAttemptOf(at),
    // Lowering the epoch by SQL does not make a permit from before a restore valid.
    epoch: Math.max(at.epoch, ctx.memory.epoch()),
    now: at.now,
  })
  if (undone === null || !verdict.ok) return verdict
  return { ok: false, reason: 'lapsed', detail: 'used by an attempt that did nothing' }
}

/**
 * The newest attempt, if it used the permit and did nothing: its process ended before it opened a
 * new request, so people are asked again. `null`: it is another one.
 */
function undoneAttempt({ execution }: CallAtHand, permitId: string): number | null {
  const isUndone = execution?.state === 'refused' && execution.permit_id === permitId
  return isUndone ? execution.attempt : null
}

/**
 * Verifies an approved call (architecture.md, the executor trusts nobody): run statement, permit,
 * the digest of its own input, whether policy blocks it now, and whether the tool and the files are
 * still as presented.
 */
export async function planApproved(
  ctx: WorkerContext,
  at: CallAtHand,
  readings: PlanReadings,
): Promise<ExecutionPlan | Refusal> {
  const { approval } = at
  if (approval === null) {
    const isSigned = verifyRun(ctx.verifier, at.run) !== null
    return isSigned
      ? refusedUnsigned('unsigned', 'no permit', null)
      : refusedUnsigned('invalid_statement', 'run', null)
  }
  const { permit, request, revision } = approval
  const { facts } = revision
  const [text, terms] = await Promise.all([
    readInputText(ctx, revision.input_hash, readings),
    termsOf(withPolicyOf(ctx, readings), at.run),
  ])
  if (terms.statement === null) return refusedUnsigned('invalid_statement', 'run', null)
  const input = JSON.parse(text) as JsonObject
  const digest = callDigest({ tool: request.tool, input, toolHash: facts.toolHash })
  const allowed = checkPermit(ctx, at, approval, digest)
  if (!allowed.ok && allowed.reason === 'invalid_permit') {
    return refusedUnsigned('invalid_permit', allowed.detail, permit.id)
  }
  const common = { kind: 'refuse' as const, permitId: permit.id, policyDigest: null }
  if (!allowed.ok && allowed.reason === 'revoked') {
    const text = 'its approval was revoked'
    return {
      ...common,
      reason: 'revoked',
      detail: 'permit',
      then: { next: 'result', type: 'cancelled', text },
    }
  }
  const question = { terms, tool: request.tool, input, canUseGrants: false, permitId: permit.id }
  const { tool, workspace, judgement, refused: refusal } = await judgeAgain(ctx, at, question)
  if (tool === null) return refusal
  const plan = { ...common, policyDigest: judgement.policyDigest }
  const ask = { next: 'ask' as const, judgement, input }
  if (!allowed.ok) return { ...plan, reason: 'lapsed', detail: allowed.detail, then: ask }
  if (judgement.toolHash !== facts.toolHash || judgement.digest !== digest) {
    return { ...plan, reason: 'stale', detail: 'tool definition', then: ask }
  }
  const changed = await changedBase(workspace, facts)
  if (changed !== null) return { ...plan, reason: 'stale', detail: 'base', then: ask }
  return {
    kind: 'run',
    tool,
    input,
    inputHash: revision.input_hash,
    facts,
    digest,
    policyDigest: judgement.policyDigest,
    authorisation: { by: 'permit', permitId: permit.id, requestId: request.id },
    workspace,
    judgement,
    terms,
  }
}
