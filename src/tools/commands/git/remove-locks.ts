import { lstat, unlink } from 'node:fs/promises'
import { errorCode } from '#domain/error-code.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { openDirectory, plainWalk } from '#sandbox/open-directory.ts'

/**
 * Removes the locks that a killed Git left in the worktree of a run: every later `git add` or
 * `git commit` there would fail. `isAtWork`: whether a Git may be at work in it. It is asked once a
 * lock was seen, and only that very lock is removed: one that Git takes meanwhile stays. So does a
 * lock that changed after `untilMs`, which another Git may hold. Does nothing in a folder that
 * people use too, whose locks may be theirs.
 */
export async function removeGitLocks(
  { root, worktree }: Pick<Workspace, 'root'> & { readonly worktree?: { readonly branch: string } },
  isAtWork: () => Promise<boolean>,
  untilMs = Infinity,
): Promise<void> {
  if (worktree === undefined) return
  const names = ['index', 'HEAD', `refs/heads/${worktree.branch}`]
  const locks = names.map((name) => ['.git', ...`${name}.lock`.split('/')])
  const lookAt = (path: string): Promise<string | null> => instanceOf(path, untilMs)
  const instances = await Promise.all(locks.map((lock) => atLock(root, lock, lookAt)))
  if (instances.every((instance) => instance === null) || (await isAtWork())) return
  for (const [index, lock] of locks.entries()) {
    await atLock(root, lock, async (path) => {
      const instance = instances[index] ?? null
      if (instance !== null && (await lookAt(path)) === instance) await unlink(path)
    })
  }
}

/**
 * Distinguishes a lock from a later one of the same name. `null`: it changed after `untilMs`, or is
 * a folder, which is no lock of Git.
 */
async function instanceOf(path: string, untilMs: number): Promise<string | null> {
  const lock = await lstat(path, { bigint: true })
  if (lock.isDirectory() || lock.ctimeMs > untilMs) return null
  return `${lock.dev}:${lock.ino}:${lock.ctimeNs}`
}

/** Does something with a lock, without following links. `null`: it is not there. */
async function atLock<T>(
  root: string,
  components: readonly string[],
  act: (path: string) => Promise<T>,
): Promise<T | null> {
  try {
    await using folder = await openDirectory(plainWalk(root), components.slice(0, -1), false)
    return await act(folder.child(components.at(-1) ?? ''))
  } catch (error) {
    if (!(error instanceof WorkspaceProblem) && errorCode(error) !== 'ENOENT') throw error
    return null
  }
}
