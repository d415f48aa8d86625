import type { Selectable } from 'kysely'
import { narrowPolicy } from '#policy/delegation/narrow-worker.ts'
import type { Policy } from '#policy/policy.ts'
import { runPreamble } from '#policy/preamble/run-preamble.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { preambleVersionOf, type PreambleVersion } from '#policy/worker/worker-digest.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { PolicyReader } from '../context.ts'
import type { RunTerms } from '../run-terms.ts'

/** What a run keeps from its start (architecture.md, policy in time). */
export interface PinnedWorker {
  readonly worker: WorkerDefinition
  /** the version of the policy that the run started with */
  readonly policy: Policy
  readonly preambleVersion: PreambleVersion
}

/** Rejects when the policy version that the run names does not have its worker. */
export async function pinnedWorkerOf(
  ctx: { readonly policies: Pick<PolicyReader, 'byDigest'> },
  run: Selectable<RunTable>,
): Promise<PinnedWorker> {
  const policy = await ctx.policies.byDigest(run.policy_digest)
  const worker = policy.workers.get(run.worker)
  const preambleVersion = worker === undefined ? null : preambleVersionOf(worker, run.worker_digest)
  if (worker === undefined || preambleVersion === null) {
    throw new Error(`Run ${run.id} was started with a worker that its policy version does not have`)
  }
  return { worker, policy, preambleVersion }
}

/**
 * The text before the instructions of the model, the same in every turn; `''` for a run that
 * started without one. For a delegated run it names the zones that it has below the runs above it.
 */
export function preambleOf(
  { policy, preambleVersion }: PinnedWorker,
  run: Selectable<RunTable>,
  { above, mode }: Pick<RunTerms, 'above' | 'mode'>,
): string {
  if (preambleVersion === 0) return ''
  return runPreamble(narrowPolicy(policy, run.worker, above), {
    worker: run.worker,
    mode,
    conversation: run.rest_for_seconds !== null,
    workspace: run.workspace,
    worktree: run.worktree,
    startedAt: run.created_at,
  })
}
