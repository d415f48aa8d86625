import { callDigest, hashJson } from '../../../domain/digest.ts'
import type { JsonObject } from '../../../domain/json.ts'
import { getText } from '../../../store/content/content.ts'
import { verifyPermit, type PermitVerdict } from '../../decisions/permits/permits.ts'
import { termsOf } from '../../runs/starting/run-terms.ts'
import { verifyRun } from '../../runs/starting/verify-run.ts'
import type { ServiceContext } from '../../context.ts'
import type { WorkerContext } from '../../worker-context.ts'
import { nextAttemptOf, type CallAtHand, type PermitAtHand } from './call-at-hand.ts'
import { changedBase } from './check-bases.ts'
import type { ExecutionPlan, Refusal } from './execution-plan.ts'
import { judgeAgain } from './judge-again.ts'
import { refusedUnsigned } from '../refusing/refusals.ts'

/** Whether a permit is for exactly this call, attempt and moment. `digest` is what the executor computed itself. */
export function checkPermit(
  ctx: ServiceContext,
  at: CallAtHand,
  held: PermitAtHand,
  digest: string,
): PermitVerdict {
  return verifyPermit(ctx.verifier, held.permit, {
    requestId: held.request.id,
    revision: held.request.revision,
    runId: at.run.id,
    callId: at.call.id,
    digest,
    factsDigest: hashJson(held.revision.facts),
    policyDigest: held.request.policy_digest,
    attempt: nextAttemptOf(at),
    epoch: at.epoch,
    now: at.now,
  })
}

/**
 * Verifies an approved call (architecture.md, the executor trusts nobody): run statement, permit, the digest of its own
 * input, whether policy blocks it by now, and whether the tool and the files are still what was shown.
 */
export async function planApproved(
  ctx: WorkerContext,
  at: CallAtHand,
): Promise<ExecutionPlan | Refusal> {
  const { held } = at
  if (held === null) {
    const signed = verifyRun(ctx.verifier, at.run) !== null
    return signed
      ? refusedUnsigned('unsigned', 'no permit', null)
      : refusedUnsigned('invalid_statement', 'run', null)
  }
  const { permit, request, revision } = held
  const { facts } = revision
  const [inputText, terms] = await Promise.all([
    getText(ctx.db, revision.input_hash),
    termsOf(ctx, at.run),
  ])
  if (terms.statement === null) return refusedUnsigned('invalid_statement', 'run', null)
  const input = JSON.parse(inputText) as JsonObject
  const digest = callDigest({ tool: request.tool, input, toolHash: facts.toolHash })
  const allowed = checkPermit(ctx, at, held, digest)
  if (!allowed.ok && allowed.reason === 'invalid_permit') {
    return refusedUnsigned('invalid_permit', allowed.detail, permit.id)
  }
  const common = { kind: 'refuse' as const, permitId: permit.id, policyDigest: null }
  if (!allowed.ok && allowed.reason === 'revoked') {
    const text = 'its approval was taken back'
    return {
      ...common,
      reason: 'revoked',
      detail: 'permit',
      then: { next: 'result', type: 'cancelled', text },
    }
  }
  const again = { terms, tool: request.tool, input, grants: false, permitId: permit.id }
  const { tool, workspace, judgement, refused } = await judgeAgain(ctx, at, again)
  if (tool === null) return refused
  const judged = { ...common, policyDigest: judgement.policyDigest }
  const ask = { next: 'ask' as const, judgement, input }
  if (!allowed.ok) return { ...judged, reason: 'lapsed', detail: allowed.detail, then: ask }
  if (judgement.toolHash !== facts.toolHash || judgement.digest !== digest) {
    return { ...judged, reason: 'stale', detail: 'tool definition', then: ask }
  }
  const changed = await changedBase(workspace, facts)
  if (changed !== null) return { ...judged, reason: 'stale', detail: 'base', then: ask }
  return {
    kind: 'run',
    tool,
    input,
    inputHash: revision.input_hash,
    facts,
    digest,
    policyDigest: judgement.policyDigest,
    authority: { by: 'permit', permitId: permit.id, requestId: request.id },
    workspace,
    judgement,
    terms,
  }
}
