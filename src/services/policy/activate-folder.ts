import type { Caller, SigningContext } from '../context.ts'
import { activatePolicy, type Activation } from './activate-policy.ts'
import { gitClaim } from './git-claim.ts'
import { readProject } from './read-project.ts'
import { invalidProject, rejectPolicy } from './reject-policy.ts'

/**
 * Reads a project folder and puts it into force: at start, when a watched file changed, on SIGHUP, and for
 * `countersign policy activate`. Rejects like `activatePolicy`, for unreadable files too.
 */
export async function activateFolder(
  ctx: SigningContext,
  caller: Caller,
  projectDir: string,
): Promise<Activation> {
  const read = await readProject(projectDir)
  if ('problems' in read) {
    await rejectPolicy(ctx, caller, read.problems, null)
    throw invalidProject(read.problems)
  }
  const note = await gitClaim(projectDir, read.files)
  return await activatePolicy(ctx, caller, { files: read.files, note })
}
