import type { Policy, ProjectFiles, ProjectProblem } from '#policy/policy.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import { policyDigest } from '#policy/version-digest.ts'
import type { Caller, SigningContext, SigningSystemContext } from '../core/context.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { invalidProject, rejectPolicy } from './reject-policy.ts'
import { isInForce, lockActivation, storeActivation } from './store-activation.ts'
import { syncPeople } from './sync-people.ts'
import { bySystem, service } from '../core/authority.ts'
import { reportedCommit } from './reported-commit.ts'
import { readProject } from './read-project.ts'

export interface ActivationInput {
  readonly files: ProjectFiles
  /** a claim about the origin of the files: a commit and its author, or "uncommitted" */
  readonly note: string | null
}

export interface Activation {
  readonly policy: Policy
  readonly sequence: number
  /** false: this version is in force already */
  readonly changed: boolean
  readonly warnings: readonly ProjectProblem[]
}

/**
 * Puts a version of the project folder in force for the system (at start, for a watched folder):
 * stores it by its digest, signs the activation, and updates people and teams. People use
 * `agreeToPolicy`. Rejects with `invalid_request` and every problem when the files are invalid; the
 * last valid version stays in force. Audits `policy.activated` with the difference, or
 * `policy.rejected`.
 */
export async function activatePolicy(
  ctx: SigningSystemContext,
  input: ActivationInput,
): Promise<Activation> {
  const authority = bySystem(ctx, service)
  const { policy, warnings } = await parsedOrRejected(ctx, authority, input.files)
  return await inUnitOfWork(ctx, authority, async (unit) => {
    const current = await lockActivation(unit, ctx)
    if (await isInForce(unit.tx, current, policy)) {
      // Corrects rows of people and teams that were changed by SQL.
      await syncPeople(unit, policy.config)
      return { policy, sequence: current.sequence, changed: false, warnings }
    }
    const { note } = input
    const activation = { policy, current, caller: authority, people: [], proposalId: null, note }
    const sequence = await storeActivation(unit, ctx, activation)
    return { policy, sequence, changed: true, warnings }
  })
}

/** The version that files make. Rejects with every problem of invalid files, which is recorded. */
export async function parsedOrRejected(
  ctx: SigningContext,
  caller: Caller,
  files: ProjectFiles,
): Promise<{ readonly policy: Policy; readonly warnings: readonly ProjectProblem[] }> {
  const parsedProject = parseProject(files)
  if ('policy' in parsedProject) return parsedProject
  await rejectPolicy(ctx, caller, parsedProject.problems, policyDigest(files))
  throw invalidProject(parsedProject.problems)
}

/**
 * Reads a project folder and puts it in force: at start, when a watched file changed, on SIGHUP,
 * and for `countersign policy activate`. Rejects like `activatePolicy`, for unreadable files too.
 */
export async function activateFolder(
  ctx: SigningSystemContext,
  projectDir: string,
): Promise<Activation> {
  const project = await readProject(projectDir)
  if ('problems' in project) {
    await rejectPolicy(ctx, service, project.problems, null)
    throw invalidProject(project.problems)
  }
  const note = await reportedCommit(projectDir, project.files)
  return await activatePolicy(ctx, { files: project.files, note })
}
