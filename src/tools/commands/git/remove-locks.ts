import { unlink } from 'node:fs/promises'
import { errorCode } from '#domain/error-code.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { openDirectory, plainWalk } from '#sandbox/open-directory.ts'

/**
 * Removes the locks that a killed Git left in the worktree of a run: every later `git add` or
 * `git commit` there would fail. No Git may be at work in it. Does nothing in a folder that people
 * use too, whose locks may be theirs.
 */
export async function removeGitLocks({ root, worktree }: Workspace): Promise<void> {
  if (worktree === undefined) return
  for (const name of ['index', 'HEAD', `refs/heads/${worktree.branch}`]) {
    const folders = ['.git', ...name.split('/')]
    await removeLock(root, folders.slice(0, -1), `${folders.at(-1)}.lock`)
  }
}

async function removeLock(root: string, folders: readonly string[], name: string): Promise<void> {
  try {
    await using folder = await openDirectory(plainWalk(root), folders, false)
    await unlink(folder.child(name))
  } catch (error) {
    if (!(error instanceof WorkspaceProblem) && errorCode(error) !== 'ENOENT') throw error
  }
}
