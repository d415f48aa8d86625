import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { oneAtATime } from '#domain/sharing/one-at-a-time.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import type { Repository } from './repository.ts'

/**
 * This host's record of a worktree, in the data folder, out of reach of commands: it counts,
 * whatever the database says.
 */
export interface WorktreeRecord extends WorktreeOfRun {
  readonly runId: string
  readonly repository: Repository
  readonly objectStores: readonly string[]
  /** the remotes of the repository when the worktree was made: name to URL */
  readonly remotes: Readonly<Record<string, string>>
  /** the folders of submodules, which Git does not look into; absent: of an earlier version */
  readonly submodules?: readonly string[]
  /** the tip of the branch in the repository: the last imported commit */
  readonly tip: string
  /** an import in progress: the commit that the branch moves to */
  readonly importing?: string | undefined
  /** a merge in progress: the commit that its base moves to */
  readonly merging?: { readonly from: string; readonly to: string } | undefined
  /** it is being removed, or was, and its branch too if `branch` is true */
  readonly removed?: { readonly branch: boolean }
}

export const recordName = 'worktree.json'

/** The folder of all worktrees in a data folder. */
export function worktreesFolder(dataDir: string): string {
  return path.join(dataDir, 'worktrees')
}

export function worktreeFolder(dataDir: string, runId: string): string {
  return path.join(worktreesFolder(dataDir), runId)
}

/** The folder with the files of a worktree, in which a run works. */
export function treeIn(folder: string): string {
  return path.join(folder, 'tree')
}

/** The Git folder that the host uses: no command sees it. */
export function hostGitDirIn(folder: string): string {
  return path.join(folder, 'host.git')
}

/** `null`: there is no worktree in this folder. */
export async function readRecord(folder: string): Promise<WorktreeRecord | null> {
  const text = await readFile(path.join(folder, recordName), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as WorktreeRecord)
}

/**
 * Changes the record after all changes that this process began earlier. Rejects when there is none.
 */
export async function changeRecord(
  folder: string,
  change: (record: WorktreeRecord) => WorktreeRecord,
): Promise<void> {
  await oneAtATime(`worktree record ${folder}`, async () => {
    const record = await readRecord(folder)
    if (record === null) throw new Error(`there is no record of a worktree in ${folder}`)
    await writeRecord(folder, change(record))
  })
}

/** Replaces the record atomically. */
export async function writeRecord(folder: string, record: WorktreeRecord): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, recordName)
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
