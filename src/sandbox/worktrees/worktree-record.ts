import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import type { Repository } from './repository.ts'

/**
 * What this host knows of a worktree, in the data folder, where no command reaches: it counts,
 * whatever the database says by now.
 */
export interface WorktreeRecord extends WorktreeOfRun {
  readonly runId: string
  readonly repository: Repository
  readonly objectStores: readonly string[]
  /** the remotes of the repository when the worktree was made: name to URL */
  readonly remotes: Readonly<Record<string, string>>
  /** where the branch stands in the repository: the last commit that was taken in */
  readonly tip: string
  /** a merge that has begun: what it moves its base to */
  readonly merging?: { readonly from: string; readonly to: string }
  /** it is being removed, or was, and its branch with it when `branch` says so */
  readonly removed?: { readonly branch: boolean }
}

/** The file of a worktree that says what it is. */
export const recordName = 'worktree.json'

/** The folder of all worktrees in a data folder. */
export function worktreesFolder(dataDir: string): string {
  return path.join(dataDir, 'worktrees')
}

/** Where everything of one worktree lies. */
export function worktreeFolder(dataDir: string, runId: string): string {
  return path.join(worktreesFolder(dataDir), runId)
}

/** The folder with the files of a worktree, in which a run works. */
export function treeIn(folder: string): string {
  return path.join(folder, 'tree')
}

/** The Git folder that the host works with: no command sees it. */
export function hostGitDirIn(folder: string): string {
  return path.join(folder, 'host.git')
}

/** `null`: there is no worktree in this folder. */
export async function readRecord(folder: string): Promise<WorktreeRecord | null> {
  const text = await readFile(path.join(folder, recordName), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as WorktreeRecord)
}

/** Replaces the record at once. */
export async function writeRecord(folder: string, record: WorktreeRecord): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, recordName)
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
