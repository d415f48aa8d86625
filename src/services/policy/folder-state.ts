import { areTooManyFilesOpen } from '#domain/too-many-files.ts'
import type { ProjectProblem } from '#policy/policy.ts'
import type { Db } from '#store/database.ts'
import { loadProject } from './read-project.ts'
import { warnOfNewAddresses } from './warn-of-new-addresses.ts'
import { warnOfSignatures } from './warn-of-signatures.ts'

export type FolderState =
  | {
      readonly state: 'in_force' | 'changed'
      readonly digest: string
      readonly warnings: readonly ProjectProblem[]
    }
  | { readonly state: 'invalid'; readonly problems: readonly ProjectProblem[] }
  | { readonly state: 'unreadable' }

/**
 * The content of the project folder now, compared with the version in force by its digest, and
 * every problem of an invalid one. It is `unreadable` while too many files are open, which says
 * nothing about the folder.
 */
export async function folderState(
  db: Db,
  inForce: string,
  projectDir: string,
): Promise<FolderState> {
  const loaded = await loadProject(projectDir).catch((error: unknown) => {
    if (areTooManyFilesOpen(error)) return null
    throw error
  })
  if (loaded === null) return { state: 'unreadable' }
  if ('problems' in loaded) return { state: 'invalid', problems: loaded.problems }
  const { policy, warnings } = loaded
  return {
    state: policy.digest === inForce ? 'in_force' : 'changed',
    digest: policy.digest,
    warnings: [
      ...warnings,
      ...(await warnOfSignatures(db, policy)),
      ...(await warnOfNewAddresses(db, policy)),
    ],
  }
}
