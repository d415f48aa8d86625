import type { Access } from '#domain/tools/access.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { hostGit, hostGitBytes, hostGitText, type GitRun } from '#sandbox/worktrees/host-git.ts'
import { gitOf } from '#sandbox/worktrees/merge-commits.ts'
import {
  pushAddress,
  branchesOf,
  RemoteProblem,
  shownAddress,
  type RemoteGit,
} from '#sandbox/worktrees/remote-git.ts'
import { tipOf } from '#sandbox/worktrees/repository.ts'
import { readRecord, type WorktreeRecord } from '#sandbox/worktrees/worktree-record.ts'
import { importCommits } from '../commands/git/import-commits.ts'
import type { CommandPlace } from '../commands/plan/command-place.ts'
import { binaryChanges, binaryChangesWords } from './binary-changes.ts'
import { requireWorktree } from './look-at-merge.ts'
import { shownDifference, type ShownDifference } from './shown-difference.ts'

const maxPaths = 1000

export interface PushInput {
  readonly remote?: string | undefined
  readonly branch?: string | undefined
}

/** A push with the present state of both sides. */
export interface PushAtHand {
  readonly git: GitRun
  readonly remoteGit: RemoteGit
  readonly remote: string
  /** perhaps with a password: never shown */
  readonly address: string
  /** the address without credentials */
  readonly url: string
  readonly branch: string
  /** the tip of the remote's branch; `null`: it has none of the name */
  readonly oldCommit: string | null
  readonly newCommit: string
  /** revisions of exactly the commits that the remote lacks, for `git log --stdin` */
  readonly revisions: string
}

/**
 * The facts of a push: its commits and its address; the commits of the run are imported into the
 * repository first. Rejects with `ToolProblem` for a push that is impossible now.
 */
export async function lookAtPush(
  place: CommandPlace,
  workspace: Workspace,
  input: PushInput,
  signal: AbortSignal,
): Promise<PushAtHand> {
  const worktree = requireWorktree(workspace)
  const head = await importCommits(place.sandbox, workspace, worktree, signal)
  const record = await readRecord(worktree.folder)
  if (record === null) throw new ToolProblem('The worktree no longer exists.')
  const { remote, url } = namedRemote(record, input.remote)
  const branch = input.branch ?? record.branch
  const newCommit = await tipOfBranch(record, branch, head)
  const environment = place.gitEnvironment ?? {}
  const remoteGit = { folder: worktree.folder, record, environment }
  const [address, branches] = await reachRemote(remote, async () => {
    const at = await pushAddress(remoteGit, url, signal)
    return [at, await branchesOf(remoteGit, at, signal)] as const
  })
  const git = gitOf(worktree.folder, record)
  const oldCommit = branches.get(branch) ?? null
  const commits = await commitsInRepository(git, [...new Set(branches.values())])
  if (oldCommit !== null)
    await requireFollows(git, { known: commits, oldCommit, newCommit, remote, branch })
  const revisions = [newCommit, ...commits.map((hash) => `^${hash}`)].join('\n')
  const at = { git, remoteGit, remote, address, url: shownAddress(address) }
  return { ...at, branch, oldCommit, newCommit, revisions }
}

function namedRemote(
  { remotes }: WorktreeRecord,
  named: string | undefined,
): { readonly remote: string; readonly url: string } {
  const names = Object.keys(remotes)
  const only = names.length === 1 ? names[0] : undefined
  const remote = named ?? (names.includes('origin') ? 'origin' : only)
  const url = remote !== undefined && names.includes(remote) ? remotes[remote] : undefined
  if (remote !== undefined && url !== undefined) return { remote, url }
  const list = names.map((name) => JSON.stringify(name)).join(', ')
  throw new ToolProblem(
    names.length === 0
      ? 'The repository had no remote when this run began.'
      : `Name one of the remotes that the repository had when this run began: ${list}.`,
  )
}

async function tipOfBranch(record: WorktreeRecord, branch: string, head: string): Promise<string> {
  if (branch === record.branch) return head
  if (branch !== record.base) {
    throw new ToolProblem(`Only ${record.branch} and ${record.base} can be pushed.`)
  }
  const tip = await tipOf(record.repository, branch)
  if (tip === null) throw new ToolProblem(`There is no branch ${branch} any more.`)
  return tip
}

async function reachRemote<T>(remote: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof RemoteProblem)) throw error
    throw new ToolProblem(`The remote ${remote} cannot be reached: ${error.message}`)
  }
}

/** The commits among `hashes` that the repository has. */
async function commitsInRepository(git: GitRun, hashes: readonly string[]): Promise<string[]> {
  const stdin = hashes.map((hash) => `${hash}^{commit}\n`).join('')
  const list = await hostGitText(['cat-file', '--batch-check=%(objectname)'], { ...git, stdin })
  const objectLines = new Set(list.split('\n'))
  return hashes.filter((hash) => objectLines.has(hash))
}

async function requireFollows(
  git: GitRun,
  at: {
    readonly known: readonly string[]
    readonly oldCommit: string
    readonly newCommit: string
    readonly remote: string
    readonly branch: string
  },
): Promise<void> {
  const { known: commits, oldCommit, newCommit, remote, branch } = at
  const words = ['merge-base', '--is-ancestor', oldCommit, newCommit]
  if (commits.includes(oldCommit) && (await hostGit(words, git)).code === 0) return
  throw new ToolProblem(
    `The branch ${branch} of ${remote} has commits that would be lost; nothing is forced.`,
  )
}

/** How many commits would be sent. */
export async function countPushed({ git, revisions: stdin }: PushAtHand): Promise<number> {
  return Number(await hostGitText(['rev-list', '--count', '--stdin'], { ...git, stdin }))
}

/** The paths that the commits change, for policy: their contents leave this host. */
export async function pushedAccesses({ git, revisions: stdin }: PushAtHand): Promise<Access[]> {
  const words = ['log', '--format=', '--name-only', '-z', '--no-renames', '-m', '--root', '--stdin']
  const list = await hostGitText(words, { ...git, stdin })
  const paths = new Set(list.split('\0').filter((path) => path !== ''))
  if (paths.size > maxPaths) {
    throw new ToolProblem(`The commits change more than ${maxPaths} files, the most in one push.`)
  }
  return [...paths].map((path) => ({ operation: 'read', path, target: 'file' }))
}

/**
 * Every commit that would be sent, the oldest first, each with its difference to its first parent.
 * If the remote's commit is not among the first parents, a merge replaces what the remote has, and
 * none of these differences shows it. In that case the difference to the remote's commit comes
 * first.
 */
export async function pushedPatches(push: PushAtHand): Promise<ShownDifference> {
  const { git, newCommit, oldCommit } = push
  const commits = await patchesOfCommits(push)
  if (oldCommit === null || (await leadsTo(git, newCommit, oldCommit))) return commits
  const pair = [oldCommit, newCommit]
  const raw = await hostGitText(['diff-tree', '-r', ...binaryChangesWords, ...pair], git)
  const words = ['diff', '--full-index', '-M', ...plainDiff, ...pair]
  const whole = shownDifference(await hostGitBytes(words, git), await binaryChanges(git, raw))
  const binary = [whole, commits].flatMap(({ metadata }) => metadata['binary'] ?? [])
  const warning = `A merge replaces what ${push.remote} has: the first difference is that of the whole push.`
  return {
    text: `What ${push.branch} of ${push.remote} becomes:\n\n${whole.text}\n${commits.text}`,
    metadata: binary.length === 0 ? {} : { binary },
    warnings: [warning, ...whole.warnings, ...commits.warnings],
  }
}

/** Whether following first parents from one commit reaches another one. */
async function leadsTo(git: GitRun, from: string, to: string): Promise<boolean> {
  const words = ['rev-list', '--first-parent', '--parents', from, `^${to}`]
  const lines = (await hostGitText(words, git)).split('\n')
  return lines.at(-1)?.split(' ')[1] === to
}

const plainDiff = ['--no-ext-diff', '--no-textconv', '--no-color']
const plain = [...plainDiff, '--no-decorate', '--no-notes']

async function patchesOfCommits({ git, revisions: stdin }: PushAtHand): Promise<ShownDifference> {
  const all = ['log', '--reverse', '--diff-merges=first-parent', '--root', '--stdin']
  const run = { ...git, stdin }
  const raw = await hostGitText([...all, '--format=', ...binaryChangesWords], run)
  const binary = await binaryChanges(git, raw)
  const bytes = await hostGitBytes([...all, '--patch', '--full-index', ...plain], run)
  return shownDifference(bytes, binary)
}
