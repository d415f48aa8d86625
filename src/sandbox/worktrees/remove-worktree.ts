import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { openDirectory, plainWalk } from '../open-directory.ts'
import { removeTree } from '../remove-tree.ts'
import { checkoutsOf, isIn, removeBranch, tipOf } from './repository.ts'
import { changeRecord, readRecord, recordName, worktreesFolder } from './worktree-record.ts'

/**
 * Removes a worktree; with `branch` also the branch in the repository, unless somebody has moved it
 * or has it checked out. The record says first that it is in progress, and is removed last: the
 * next removal completes one that was interrupted. Does nothing without a worktree.
 */
export async function removeWorktree(
  dataDir: string,
  runId: string,
  { branch }: { readonly branch: boolean },
): Promise<void> {
  const folders = plainWalk(worktreesFolder(dataDir))
  await using parent = await openDirectory(folders, [], false)
  const names = await readdir(parent.child('.'))
  if (!names.includes(runId)) return
  const folder = path.join(worktreesFolder(dataDir), runId)
  const worktreeRecord = await readRecord(folder)
  if (worktreeRecord !== null) {
    const removed = worktreeRecord.removed ?? { branch }
    await changeRecord(folder, (record) => ({ ...record, removed }))
    if (removed.branch) await removeItsBranch(worktreeRecord)
    await using own = await openDirectory(folders, [runId], false)
    for (const name of await readdir(own.child('.'))) {
      if (name !== recordName) await removeTree(own, name)
    }
  }
  await removeTree(parent, runId)
}

const unfinished = /^[0-9a-f-]{36}\.[0-9a-f]{16}\.new$/
const abandonedAfterMs = 24 * 60 * 60 * 1000

/** Removes what processes left that were killed while they made a worktree, a day later. */
export async function sweepUnfinished(dataDir: string, now: Date): Promise<void> {
  const folder = worktreesFolder(dataDir)
  const names = (await readdir(folder).catch(() => [])).filter((name) => unfinished.test(name))
  if (names.length === 0) return
  await using parent = await openDirectory(plainWalk(folder), [], false)
  for (const name of names) {
    const changed = await lstat(parent.child(name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    )
    if (now.getTime() - changed > abandonedAfterMs) await removeTree(parent, name)
  }
}

/** A repository that is gone, or that Git does not open, has no branch to remove. */
async function removeItsBranch({
  repository,
  branch,
  tip,
  importing,
}: NonNullable<Awaited<ReturnType<typeof readRecord>>>): Promise<void> {
  const at = await tipOf(repository, branch)
  if (at === null || (at !== tip && at !== importing)) return
  if ((await checkoutsOf(repository, branch)).length > 0) return
  await removeBranch(repository, branch, at)
}

/**
 * Whether every commit of a worktree is in its base. `false` also when it cannot be determined: the
 * repository or the branch no longer exists.
 */
export async function isMerged(folder: string): Promise<boolean> {
  const record = await readRecord(folder)
  if (record === null) return false
  const base = await tipOf(record.repository, record.base)
  if (base === null) return false
  return isIn(record.repository, record.tip, base)
}
