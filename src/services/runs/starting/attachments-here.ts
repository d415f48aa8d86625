import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { refusedAttachment } from '#policy/judge/run-attachment.ts'
import { policyInWorkspace } from '#policy/workspaces.ts'
import { readAttached } from '../../core/attached-files.ts'
import { refusedStart } from './refused-start.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import type { AttachmentsAnswer, AttachmentsQuery } from '../../core/host-queries.ts'

/**
 * Reads attachments of a run, by the policy in force on this host. It never reads through a link or
 * from the data folder. It reads only files that the worker may read without a request, or that
 * could be handed to it by a worker that the person may start.
 */
export async function attachmentsHere(
  ctx: WorkerContext,
  question: AttachmentsQuery,
  taskQueue: string,
): Promise<AttachmentsAnswer> {
  const { paths, startedBy } = question
  const policy = policyInWorkspace(await ctx.policies.inForce(), question.workspace)
  const worker = policy.workers.get(question.attachmentsFor)
  if (worker === undefined) throw new Error(`There is no worker ${question.attachmentsFor} here`)
  const callers = [...policy.workers.values()].filter((caller) =>
    caller.workers.includes(worker.name),
  )
  const refusals = await Promise.all(
    callers.map((caller) => refusedStart(ctx, policy, caller, startedBy, async () => [])),
  )
  const sharers = callers.filter((_, index) => refusals[index] === null)
  const target = { policy, worker, projectDir: ctx.projectDir }
  for (const [at, path] of paths.entries()) {
    const refusal = refusedAttachment(target, sharers, path)
    if (refusal !== null) return { ok: false, at, ...refusal }
  }
  const workspace = await ctx.workspaceOf({ taskQueue, workspace: question.workspace }, policy)
  try {
    return { ok: true, files: await readAttached(workspace, paths) }
  } catch (error) {
    if (!(error instanceof WorkspaceProblem)) throw error
    const { path: wrong } = error
    const exact = paths.indexOf(wrong)
    const at = exact >= 0 ? exact : paths.findIndex((path) => path.startsWith(`${wrong}/`))
    return { ok: false, at: Math.max(at, 0), code: 'invalid_request', text: error.message }
  }
}
