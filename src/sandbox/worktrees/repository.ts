import { lstat, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import { isBranchName, isCommitHash } from '#domain/tools/worktree.ts'
import { hostGit, hostGitText } from './host-git.ts'

/** A repository of the host for worktrees. */
export interface Repository {
  /** absolute, real: the Git folder that all its worktrees share */
  readonly gitDir: string
  /** absolute, real: the Git folder of the workspace's own checkout */
  readonly checkoutGitDir: string
  readonly format: 'sha1' | 'sha256'
}

/** Why a folder has no repository for worktrees, as the end of a sentence. */
class NoRepository extends UnusableWorkspace {}

/** The repository whose top folder is `root`. Rejects with `NoRepository`. */
export async function openRepository(root: string): Promise<Repository> {
  const git = path.join(root, '.git')
  const stats = await lstat(git).catch(() => null)
  if (stats === null || !(stats.isDirectory() || stats.isFile())) {
    throw new NoRepository('its folder is not the top folder of a Git repository')
  }
  const run = { gitDir: git, cwd: root }
  const words = ['rev-parse', '--absolute-git-dir', '--git-common-dir', '--show-object-format']
  const end = await hostGit(words, run).catch((error: Error) => {
    throw new NoRepository(`Git cannot be run (${error.message})`)
  })
  const [own = '', common = '', format = ''] = end.stdout.toString('utf8').split('\n')
  if (end.code !== 0 || (format !== 'sha1' && format !== 'sha256')) {
    throw new NoRepository(`Git does not open its repository (${end.stderr.slice(0, 300)})`)
  }
  const gitDir = await realpath(path.resolve(root, common))
  return { gitDir, checkoutGitDir: await realpath(own), format }
}

/**
 * Where a new worktree begins: the branch, by default the one that is checked out, and its commit.
 * Rejects with `NoRepository`.
 */
async function baseOf(
  repository: Repository,
  named: string | null,
): Promise<{ readonly base: string; readonly baseCommit: string }> {
  const base = named ?? (await checkedOut(repository))
  const baseCommit = await tipOf(repository, base)
  if (baseCommit === null && named === null)
    throw new NoRepository(`its branch ${base} has no commit yet`)
  if (baseCommit === null) throw new NoRepository(`its repository has no branch ${base}`)
  return { base, baseCommit }
}

async function checkedOut({ checkoutGitDir }: Repository): Promise<string> {
  const end = await hostGit(['symbolic-ref', '-q', 'HEAD'], { gitDir: checkoutGitDir })
  const name = end.stdout.toString('utf8').trim()
  const base = name.replace(/^refs\/heads\//, '')
  if (end.code === 0 && name !== base && isBranchName(base)) return base
  throw new NoRepository('no branch is checked out in it: name one as "base"')
}

/** The commit at the tip of a branch; `null`: there is no such branch. */
export async function tipOf({ gitDir }: Repository, branch: string): Promise<string | null> {
  const words = ['rev-parse', '--verify', '-q', `refs/heads/${branch}^{commit}`]
  const end = await hostGit(words, { gitDir })
  const hash = end.stdout.toString('utf8').trim()
  return end.code === 0 && isCommitHash(hash) ? hash : null
}

/** Whether a commit is another one, or an ancestor of it; also `false` where it is missing. */
export async function isIn(
  { gitDir }: Repository,
  commit: string,
  other: string,
): Promise<boolean> {
  return (await hostGit(['merge-base', '--is-ancestor', commit, other], { gitDir })).code === 0
}

/**
 * Moves a branch from one commit to another, or creates it (`from: null`). `false`: it was at
 * another commit. Rejects where Git cannot, for instance because a killed Git left its lock.
 */
export async function moveBranch(
  repository: Repository,
  branch: string,
  { from, to, why }: { readonly from: string | null; readonly to: string; readonly why: string },
): Promise<boolean> {
  const { gitDir, format } = repository
  const old = from ?? '0'.repeat(format === 'sha1' ? 40 : 64)
  const words = ['update-ref', '--create-reflog', '-m', why, `refs/heads/${branch}`, to, old]
  const environment = {
    GIT_COMMITTER_NAME: 'Countersign',
    GIT_COMMITTER_EMAIL: 'countersign@countersign.localhost',
  }
  const end = await hostGit(words, { gitDir, environment })
  if (end.code === 0) return true
  if ((await tipOf(repository, branch)) !== from) return false
  throw new UnmovableBranch(`Git cannot move the branch ${branch} (${end.stderr.slice(0, 300)})`)
}

/** Git refused to move a branch that is where it was. The message is a clause. */
export class UnmovableBranch extends Error {}

/** Removes a branch at a commit; does nothing when it is at another one. */
export async function removeBranch(
  { gitDir }: Repository,
  branch: string,
  at: string,
): Promise<void> {
  await hostGit(['update-ref', '-d', `refs/heads/${branch}`, at], { gitDir })
}

/** The working trees of a repository in which a branch is checked out; rejects as Git does. */
export async function checkoutsOf({ gitDir }: Repository, branch: string): Promise<string[]> {
  const list = await hostGitText(['worktree', 'list', '--porcelain', '-z'], { gitDir })
  return list.split('\0\0').flatMap((entry) => {
    const fields = entry.split('\0')
    if (!fields.includes(`branch refs/heads/${branch}`)) return []
    const tree = fields.find((field) => field.startsWith('worktree '))?.slice('worktree '.length)
    return tree === undefined ? [] : [tree]
  })
}

/**
 * Absolute, real: the folders of objects of a repository, its own first. Commands can read them:
 * rejects with `NoRepository` where one belongs to no repository, whatever its list names.
 */
export async function objectStoresOf({ gitDir }: Repository): Promise<readonly string[]> {
  const stores: string[] = []
  const queue = [path.join(gitDir, 'objects')]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const store = await realpath(next).catch(() => null)
    if (store === null || stores.includes(store)) continue
    if (stores.length > 0 && !(await isObjectStore(store))) {
      throw new NoRepository(`it borrows objects from ${store}, which is no folder of a repository`)
    }
    if (stores.push(store) > 20) throw new NoRepository('it borrows from too many repositories')
    const text = await readFile(path.join(store, 'info/alternates'), 'utf8').catch(() => '')
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    queue.push(...lines.map((line) => path.resolve(store, line)))
  }
  return stores
}

async function isObjectStore(folder: string): Promise<boolean> {
  const head = await lstat(path.join(folder, '../HEAD')).catch(() => null)
  return path.basename(folder) === 'objects' && head?.isFile() === true
}

/** The remotes in a repository's own file: name to push URL. */
export async function remotesOf({ gitDir }: Repository): Promise<Readonly<Record<string, string>>> {
  const file = path.join(gitDir, 'config')
  const words = ['config', '--file', file, '--no-includes', '-z', '--get-regexp', '^remote\\.']
  const end = await hostGit(words, { gitDir })
  const remotes = new Map<string, string>()
  for (const entry of end.code === 0 ? end.stdout.toString('utf8').split('\0') : []) {
    const [, name, key, url] = /^remote\.(.+)\.(url|pushurl)\n(.+)$/s.exec(entry) ?? []
    if (name === undefined || url === undefined) continue
    if (key === 'pushurl' || !remotes.has(name)) remotes.set(name, url)
  }
  return Object.fromEntries(remotes)
}

/**
 * Where a new worktree of the repository at `root` begins, or why there can be none, as the end of
 * a sentence.
 */
export async function worktreeBaseIn(
  root: string,
  named: string | null,
): Promise<{ readonly base: string; readonly baseCommit: string } | { readonly problem: string }> {
  try {
    const repository = await openRepository(root)
    await objectStoresOf(repository)
    return await baseOf(repository, named)
  } catch (error) {
    if (!(error instanceof NoRepository)) throw error
    return { problem: error.message }
  }
}
