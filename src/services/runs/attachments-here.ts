import { WorkspaceProblem } from '../../domain/workspace-problem.ts'
import { refusedAttachment, type RefusedAttachment } from '../../policy/judge/run-attachment.ts'
import { readAttached, type ReadFile } from '../delegation/attached-files.ts'
import { refusedStart } from '../delegation/refused-start.ts'
import type { WorkerContext } from '../worker-context.ts'

/** Files to be given to a run that somebody starts: only the host of the workspace can read them. */
export interface AttachmentsQuestion {
  /** name of the worker that is started */
  readonly attachmentsFor: string
  /** canonical, relative to the workspace root */
  readonly paths: readonly string[]
  /** id of the person behind the start */
  readonly startedBy: string
}

/** The files in their order; or the first that is refused, by its place, and why. */
export type AttachmentsAnswer =
  | { readonly ok: true; readonly files: readonly ReadFile[] }
  | ({ readonly ok: false; readonly at: number } & RefusedAttachment)

/**
 * Reads what a run is to be given, by the policy in force on this host: never through a link, never out of the data
 * folder, and nothing that neither the worker may read unasked nor one could hand to it that the person may start.
 */
export async function attachmentsHere(
  ctx: WorkerContext,
  question: AttachmentsQuestion,
  taskQueue: string,
): Promise<AttachmentsAnswer> {
  const { paths, startedBy } = question
  const policy = await ctx.policies.inForce()
  const worker = policy.workers.get(question.attachmentsFor)
  if (worker === undefined) throw new Error(`There is no worker ${question.attachmentsFor} here`)
  const callers = [...policy.workers.values()].filter((one) => one.workers.includes(worker.name))
  const refusals = await Promise.all(
    callers.map((one) => refusedStart(ctx.db, policy, one, startedBy)),
  )
  const sharers = callers.filter((_, index) => refusals[index] === null)
  const place = { policy, worker, projectDir: ctx.projectDir }
  for (const [at, path] of paths.entries()) {
    const refused = refusedAttachment(place, sharers, path)
    if (refused !== null) return { ok: false, at, ...refused }
  }
  const workspace = await ctx.workspaceOf({ taskQueue }, policy)
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
