import type { Caller, SigningContext } from '../context.ts'
import { agreeToPolicy, type Agreement } from './agree-to-policy.ts'
import { gitClaim } from './git-claim.ts'
import { readProject } from './read-project.ts'
import { invalidProject } from './reject-policy.ts'

/** A person agrees to what the project folder holds now, if that still has the digest. See `agreeToPolicy`. */
export async function agreeToFolder(
  ctx: SigningContext,
  caller: Caller,
  input: { readonly projectDir: string; readonly digest: string },
): Promise<Agreement> {
  const read = await readProject(input.projectDir)
  if ('problems' in read) throw invalidProject(read.problems)
  const note = await gitClaim(input.projectDir, read.files)
  return await agreeToPolicy(ctx, caller, { files: read.files, note, digest: input.digest })
}
