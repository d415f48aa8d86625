import type { RunMode } from '#domain/policy/verdict.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { preambleVersionOf } from '#policy/worker/worker-digest.ts'
import { delegationOf, inputText, type Delegation } from '#tools/delegation/call-worker.ts'
import type { CallAtHand } from '../attempts/call-at-hand.ts'
import type { ExecutionPlan, Refusal } from '../attempts/execution-plan.ts'
import { refusedUnsigned } from '../attempts/refusals.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import {
  listedFiles,
  readAttached,
  withAttached,
  type RunAttachment,
} from '../../core/attached-files.ts'
import { readAttachmentPermits, type AttachmentPermit } from './attachment-permits.ts'

/** A delegation that may be carried out, with what its start writes. */
export interface DelegationPlan {
  readonly kind: 'delegate'
  readonly delegation: Delegation
  readonly target: WorkerDefinition
  /** the parent's signed mode, which the child inherits */
  readonly mode: RunMode
  readonly permits: readonly AttachmentPermit[]
  /** the child's first message */
  readonly text: string
  readonly attachments: readonly RunAttachment[]
}

/**
 * Verifies the rest of a delegation whose call may run (product.md 23): the target is the worker
 * that was presented, and each attachment that now asks has a permit for these very bytes. Reads
 * the attachments for the child.
 */
export async function planDelegation(
  ctx: WorkerContext,
  at: CallAtHand,
  plan: ExecutionPlan,
): Promise<DelegationPlan | Refusal> {
  const { terms } = plan
  const delegation = delegationOf(plan.input)
  const target = terms.policy.workers.get(delegation.worker)
  if (target === undefined || terms.statement === null) {
    return refusedUnsigned('invalid_statement', 'lineage', null)
  }
  const approvedDigest = plan.facts.detail?.['workerDigest']
  const byPermit = plan.authorisation.by === 'permit'
  if (byPermit && preambleVersionOf(target, approvedDigest) === null)
    return askAgain(plan, 'target worker')
  const files = await readAttached(plan.workspace, delegation.attachments)
  const asking = byPermit ? (plan.judgement.attachments ?? []) : []
  const permits = await readAttachmentPermits(ctx, at, {
    worker: target.name,
    toolHash: plan.facts.toolHash,
    files: files.filter(({ path }) => asking.some((ask) => ask.path === path)),
  })
  if (permits.kind === 'invalid') return refusedUnsigned('invalid_permit', permits.detail, null)
  if (permits.kind === 'missing') return askAgain(plan, 'attachment')
  return {
    kind: 'delegate',
    delegation,
    target,
    mode: terms.statement.mode,
    permits: permits.permits,
    text: withAttached(inputText(delegation), files),
    attachments: listedFiles(files),
  }
}

function askAgain(plan: ExecutionPlan, detail: string): Refusal {
  const { judgement, input, authorisation } = plan
  return {
    kind: 'refuse',
    reason: 'stale',
    detail,
    permitId: authorisation.by === 'permit' ? authorisation.permitId : null,
    policyDigest: judgement.policyDigest,
    then: { next: 'ask', judgement, input },
  }
}
