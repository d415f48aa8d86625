import { shellWord } from '#domain/tools/shell-word.ts'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { oneAtATime } from '#domain/sharing/one-at-a-time.ts'
import type { CommitIdentity } from '#domain/tools/commit-identity.ts'
import { hostGit, hostGitText, type GitEnd, type GitRun } from './host-git.ts'
import { checkoutsOf, isIn, moveBranch, tipOf } from './repository.ts'
import { changeRecord, hostGitDirIn, readRecord, type WorktreeRecord } from './worktree-record.ts'

/** A function that runs Git for a worktree on the host, with the objects of the repository. */
export function gitOf(folder: string, { objectStores }: WorktreeRecord): GitRun {
  return {
    gitDir: hostGitDirIn(folder),
    environment: { GIT_OBJECT_DIRECTORY: objectStores[0] ?? '' },
  }
}

/** The tree of merging two commits, or the files in conflict. */
export async function mergedTree(
  run: GitRun,
  base: string,
  head: string,
): Promise<{ readonly tree: string } | { readonly conflicts: readonly string[] }> {
  const words = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', base, head]
  const end = await hostGit(words, run)
  const [tree = '', ...conflicts] = end.stdout.toString('utf8').split('\0').filter(Boolean)
  if (end.code === 0) return { tree }
  if (end.code === 1) return { conflicts: [...new Set(conflicts)] }
  throw new Error(`Git cannot merge: ${end.stderr.slice(0, 300)}`)
}

/** Writes the merge commit of two commits, without a reference to it. */
export async function mergeCommit(
  run: GitRun,
  merge: { readonly tree: string; readonly base: string; readonly head: string },
  message: string,
  { author, committer, trailers }: CommitIdentity,
): Promise<string> {
  const lines = trailers.map(({ name, value }) => `${name}: ${value}\n`).join('')
  return hostGitText(['commit-tree', merge.tree, '-p', merge.base, '-p', merge.head, '-F', '-'], {
    ...run,
    stdin: `${message.trim()}\n\n${lines}`,
    environment: {
      ...run.environment,
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
    },
  })
}

/** Where a base is, and the commit or tree to which it is to move. */
interface BaseUpdate {
  readonly from: string
  readonly to: string
}

/**
 * Git's reason why the working trees in which a base is checked out cannot be updated to a commit
 * or tree; `null`: they can. Changes that the merge does not touch stay.
 */
export async function blockedCheckout(
  folder: string,
  record: WorktreeRecord,
  update: BaseUpdate,
): Promise<string | null> {
  return changingCheckouts(record, async () =>
    blockIn(await checkoutsOfBase(folder, record), update),
  )
}

/**
 * The same without a lock or a write in these working trees, which people may be using: with copies
 * of their indexes. `null` also where Git cannot look.
 */
export async function lookForBlockedCheckout(
  folder: string,
  record: WorktreeRecord,
  update: BaseUpdate,
): Promise<string | null> {
  const copies = await mkdtemp(path.join(folder, 'index-'))
  try {
    const checkouts = await checkoutsOfBase(folder, record)
    const runs = await Promise.all(
      checkouts.map(async (run, position): Promise<GitRun> => {
        const index = path.join(copies, String(position))
        // Git compares the time of an index with those of the files.
        const exact = { dereference: true, preserveTimestamps: true }
        await cp(run.environment?.['GIT_INDEX_FILE'] ?? '', index, exact)
        return { ...run, environment: { ...run.environment, GIT_INDEX_FILE: index } }
      }),
    )
    const blocked = await blockIn(runs, update)
    return blocked === null || /^fatal:/m.test(blocked) ? null : blocked
  } finally {
    await rm(copies, { recursive: true, force: true })
  }
}

async function blockIn(
  checkouts: readonly GitRun[],
  { from, to }: BaseUpdate,
): Promise<string | null> {
  for (const run of checkouts) {
    await hostGit(['update-index', '-q', '--refresh'], run)
    const end = await readTree(['-n', from, to], run)
    if (end.code !== 0) return end.stderr.slice(0, 500)
  }
  return null
}

/**
 * Moves the base of a worktree to its merge. The branch moves at once, or not at all; the record
 * says that it is in progress, so that `finishMerge` completes it after a crash. `false`: the base
 * was at another commit. Rejects when the base cannot be moved.
 */
export async function moveBase(
  folder: string,
  { repository, base, branch }: WorktreeRecord,
  merging: { readonly from: string; readonly to: string },
): Promise<boolean> {
  await changeRecord(folder, (record) => ({ ...record, merging }))
  return moveBranch(repository, base, { ...merging, why: `countersign: merge ${branch}` })
}

/**
 * Updates working trees that have a base checked out, while its merge is in progress. They follow
 * the base to where it is: others may have moved it further since.
 */
export async function finishMerge(folder: string): Promise<void> {
  const record = await readRecord(folder)
  if (record?.merging === undefined) return
  await changingCheckouts(record, () => updateCheckouts(folder))
}

/** One merge after the other: two at once would find each other's lock on an index. */
function changingCheckouts<T>({ repository }: WorktreeRecord, work: () => Promise<T>): Promise<T> {
  return oneAtATime(`checkouts of ${repository.gitDir}`, work)
}

/** How many times, and how far apart, a lock that another Git holds is tried. */
const lockAttempts = 20
const lockPauseMs = 100

/** Merges two trees into an index. Waits a moment for another Git, such as that of an editor. */
async function readTree(words: readonly string[], run: GitRun): Promise<GitEnd> {
  for (let attempt = 1; ; attempt += 1) {
    const end = await hostGit(['read-tree', '-m', '-u', ...words], run)
    const isLocked = end.code !== 0 && /index\.lock': File exists/.test(end.stderr)
    if (!isLocked || attempt === lockAttempts) return end
    await delay(lockPauseMs)
  }
}

async function updateCheckouts(folder: string): Promise<void> {
  const record = await readRecord(folder)
  if (record?.merging === undefined) return
  const { base, merging, repository } = record
  const tip = await tipOf(repository, base)
  // The merge may still be about to move it, in another process.
  if (tip === merging.from) return
  let undone: readonly string[] = []
  if (tip !== null && (await isIn(repository, merging.to, tip))) {
    undone = await undoneBy(tip, merging, gitOf(folder, record))
    for (const run of await checkoutsOfBase(folder, record)) {
      await hostGit(['update-index', '-q', '--refresh'], run)
      const end = await readTree([merging.from, tip], run)
      if (end.code !== 0) throw new Error(`Git does not update it: ${end.stderr.slice(0, 500)}`)
    }
  }
  await changeRecord(folder, (latest) =>
    latest.merging?.to === merging.to ? { ...latest, merging: undefined } : latest,
  )
  if (undone.length > 0) {
    // An agent chose the names: no shell may run a part of one, and no Git read it as a pattern.
    const paths = undone.slice(0, 10).map(shellWord).join(' ')
    const which = undone.length > 10 ? ` (the first 10 of ${undone.length})` : ''
    throw new Error(
      `${base} is at ${tip}, which has the files as they were before the merge ${merging.to}, perhaps because somebody committed in a folder that did not have the merge yet. It stays so. To have the files of the merge again${which}: git --literal-pathspecs restore --source=${merging.to} --staged --worktree -- ${paths}`,
    )
  }
}

/** Files of a merge that a later commit of the base has as they were before it. */
async function undoneBy(tip: string, { from, to }: BaseUpdate, run: GitRun): Promise<string[]> {
  if (tip === to) return []
  const pathsBetween = async (one: string, other: string): Promise<string[]> => {
    const words = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', one, other]
    return (await hostGitText(words, run)).split('\0').filter(Boolean)
  }
  const since = new Set(await pathsBetween(from, tip))
  return (await pathsBetween(from, to)).filter((path) => !since.has(path))
}

/** Git for each working tree of the repository in which the base is checked out. */
async function checkoutsOfBase(folder: string, record: WorktreeRecord): Promise<readonly GitRun[]> {
  const trees = await checkoutsOf(record.repository, record.base)
  const git = gitOf(folder, record)
  return Promise.all(
    trees.map(async (tree): Promise<GitRun> => {
      const own = await hostGitText(['rev-parse', '--absolute-git-dir'], {
        gitDir: path.join(tree, '.git'),
        cwd: tree,
      })
      const index = path.join(own, 'index')
      return {
        ...git,
        cwd: tree,
        environment: { ...git.environment, GIT_WORK_TREE: tree, GIT_INDEX_FILE: index },
      }
    }),
  )
}
