import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { finishMerge } from './merge-commits.ts'
import { worktreesFolder } from './worktree-record.ts'

/**
 * Completes the merges of a killed process: once their base has moved, the working trees in which
 * it is checked out are updated. Failures are passed to `onFailure`, and tried again at the next
 * start, merge and round of retention.
 */
export async function finishMerges(
  dataDir: string,
  onFailure: (folder: string, error: unknown) => void,
): Promise<void> {
  const folder = worktreesFolder(dataDir)
  const names: string[] = await readdir(folder).catch(() => [])
  for (const name of names) {
    const at = path.join(folder, name)
    await finishMerge(at).catch((error: unknown) => onFailure(at, error))
  }
}
