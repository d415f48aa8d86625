import { Problem } from '../../domain/problem.ts'
import type { Policy, ProjectFiles, ProjectProblem } from '../../policy/policy.ts'
import { parseProject } from '../../policy/project/parse-project.ts'
import { policyDigest } from '../../policy/version-digest.ts'
import type { Caller, SigningContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { invalidProject, rejectPolicy } from './reject-policy.ts'
import { isInForce, lockActivation, storeActivation } from './store-activation.ts'
import { syncPeople } from './sync-people.ts'

export interface ActivationInput {
  readonly files: ProjectFiles
  /** a claim about where the files come from: a commit and its author, or "uncommitted" */
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
 * Puts a version of the project folder into force on the system's behalf (at start, for a watched folder): stores it
 * by its digest, signs the activation, makes people and teams what it says. People go through `agreeToPolicy`. Rejects
 * with `invalid_request` and every problem when the files are not valid; the last valid version stays in force.
 * Audits `policy.activated` with the difference, or `policy.rejected`.
 */
export async function activatePolicy(
  ctx: SigningContext,
  caller: Caller,
  input: ActivationInput,
): Promise<Activation> {
  if (caller.actor.type !== 'system') {
    throw new Problem('forbidden', 'Only the service itself puts a watched folder into force')
  }
  const { policy, warnings } = await parsedOrRejected(ctx, caller, input.files)
  return await inUnitOfWork(ctx, async (unit) => {
    const current = await lockActivation(unit, ctx)
    if (await isInForce(unit.tx, current, policy)) {
      // Rows of people and teams that were changed meanwhile are set right.
      await syncPeople(unit.tx, policy.config)
      return { policy, sequence: current.sequence, changed: false, warnings }
    }
    const { note } = input
    const sequence = await storeActivation(unit, ctx, { policy, current, caller, people: [], note })
    return { policy, sequence, changed: true, warnings }
  })
}

/** The version that files make. Rejects with every problem when they are not valid, which is recorded. */
export async function parsedOrRejected(
  ctx: SigningContext,
  caller: Caller,
  files: ProjectFiles,
): Promise<{ readonly policy: Policy; readonly warnings: readonly ProjectProblem[] }> {
  const parsed = parseProject(files)
  if ('policy' in parsed) return parsed
  await rejectPolicy(ctx, caller, parsed.problems, policyDigest(files))
  throw invalidProject(parsed.problems)
}
