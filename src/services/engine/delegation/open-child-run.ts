import { hashJson } from '#domain/json/digest.ts'
import type { Tx } from '#store/database.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { childWorkspace } from '#policy/workspaces.ts'
import type { Caller } from '../../core/context.ts'
import { endPermit } from '../../permits/end-permit.ts'
import { peopleOfCall } from '../../requests/people/principals-of-call.ts'
import type { CallAtHand } from '../attempts/call-at-hand.ts'
import { insertRun } from '../../runs/starting/insert-run.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import type { DelegationPlan } from './plan-delegation.ts'

/**
 * Writes the run of a delegation and its start message in the transaction that starts the parent's
 * call. It has no signature yet: the relay, in the API process, checks the call, signs the run and
 * starts its workflow.
 */
export async function openChildRun(
  unit: UnitOfWork,
  at: CallAtHand,
  plan: DelegationPlan,
  child: { readonly id: string; readonly policyDigest: string },
): Promise<void> {
  const { run, call } = at
  const { input } = plan.delegation
  await insertRun(unit.tx, {
    id: child.id,
    parent: { runId: run.id, rootRunId: run.root_run_id, callId: call.id },
    worker: plan.target,
    policyDigest: child.policyDigest,
    mode: plan.mode,
    input,
    inputDigest: hashJson(input),
    startedBy: run.started_by,
    startedFrom: null,
    apiKeyId: null,
    taskQueue: run.task_queue,
    workspace: childWorkspace(run.workspace, plan.target),
    worktree: childWorktree(run, plan.target),
    signed: null,
    text: plan.text,
    attachments: plan.attachments,
    files: [],
    author: { type: 'system', name: run.worker },
    // Its parent waits for its answer, so it never rests.
    restForMs: null,
    budget: null,
    fork: null,
    // The request of the call that starts it covers the start.
    startRequestId: null,
    // Their words are its task, whoever started the runs above.
    behind: await peopleOfCall(unit.tx, { runId: run.id, callId: call.id }),
  })
  await unit.event('run.changed', { runId: child.id })
  await unit.event('run.changed', { runId: run.id })
  await unit.enqueue({ kind: 'start_run', runId: child.id, payload: {} })
}

/** The worktree of the runs above, in the same workspace; in another one it has none. */
export function childWorktree(
  { workspace, worktree }: Pick<CallAtHand['run'], 'workspace' | 'worktree'>,
  target: WorkerDefinition,
): WorktreeOfRun | null {
  if (worktree === null || childWorkspace(workspace, target) !== workspace) return null
  const { branch, base, baseCommit } = worktree
  return { branch, base, baseCommit }
}

/**
 * Whether every attachment's permit is still live. The caller holds the locks of the run and of its
 * requests.
 */
export async function areAttachmentsLive(tx: Tx, plan: DelegationPlan): Promise<boolean> {
  if (plan.permits.length === 0) return true
  const live = await tx
    .selectFrom('permit')
    .select('id')
    .where('id', 'in', permitIdsOf(plan))
    .where('state', '=', 'live')
    .execute()
  return live.length === plan.permits.length
}

/**
 * Consumes the permits of the attachments, in the transaction that starts the delegation. The
 * caller holds the locks under which {@link areAttachmentsLive} found them.
 */
export async function spendAttachments(
  unit: UnitOfWork,
  caller: Caller,
  at: CallAtHand,
  plan: DelegationPlan,
): Promise<void> {
  for (const { permitId, requestId, digest, policyDigest } of plan.permits) {
    if (!(await endPermit(unit.tx, permitId, 'consume'))) {
      throw new Error(`Permit ${permitId} is not live`)
    }
    await unit.audit({
      type: 'permit.consumed',
      ...caller,
      runId: at.run.id,
      requestId,
      callId: at.call.id,
      digest,
      policyDigest,
      detail: { permitId, attachment: true },
    })
    await unit.event('request.changed', { requestId, runId: at.run.id })
  }
}

function permitIdsOf(plan: DelegationPlan): string[] {
  return plan.permits.map(({ permitId }) => permitId)
}
