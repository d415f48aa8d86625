import { ownLineProblem } from '#domain/tools/commit-identity.ts'
import type { Access } from '#domain/tools/access.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { WorktreeOnHost } from '#domain/tools/worktree.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { finishMerges } from '#sandbox/worktrees/finish-merges.ts'
import { hostGitBytes, hostGitText, type GitRun } from '#sandbox/worktrees/host-git.ts'
import { gitOf, mergedTree } from '#sandbox/worktrees/merge-commits.ts'
import { tipOf } from '#sandbox/worktrees/repository.ts'
import { readRecord, type WorktreeRecord } from '#sandbox/worktrees/worktree-record.ts'
import { importCommits } from '../commands/git/import-commits.ts'
import { uncommittedPaths } from '../commands/git/uncommitted-paths.ts'
import type { CommandPlace } from '../commands/plan/command-place.ts'
import { binaryChanges, binaryChangesWords } from './binary-changes.ts'
import { shownDifference, type ShownDifference } from './shown-difference.ts'

const maxPaths = 1000
const maxCommits = 200

/** The branch of a run and its base, in their present state. */
export interface MergeAtHand {
  readonly folder: string
  readonly record: WorktreeRecord
  readonly git: GitRun
  readonly baseCommit: string
  readonly headCommit: string
  /** their common ancestor */
  readonly parted: string
}

/** The worktree of a run. Throws a `ToolProblem` for a run that works in the folder itself. */
export function requireWorktree({ worktree }: Workspace): WorktreeOnHost {
  if (worktree !== undefined) return worktree
  throw new ToolProblem('This run has no branch of its own: its workspace has no worktrees.')
}

/**
 * The facts of a run's merge; its commits are imported into the repository first. Rejects with
 * `ToolProblem` for a merge that is impossible now: there are no commits, or uncommitted changes,
 * or the message has a line of the service.
 */
export async function lookAtMerge(
  place: CommandPlace,
  workspace: Workspace,
  message: string,
  signal: AbortSignal,
): Promise<MergeAtHand> {
  const worktree = requireWorktree(workspace)
  const problem = ownLineProblem(message)
  if (problem !== null) throw new ToolProblem(problem)
  const { folder } = worktree
  const open = await uncommittedPaths(place, workspace, signal)
  if (open.length > 0) {
    const named = open.slice(0, 10).map((path) => JSON.stringify(path))
    const more = open.length > named.length ? `, and ${open.length - named.length} more` : ''
    throw new ToolProblem(
      `Commit first, in an earlier turn, what is not committed: ${named.join(', ')}${more}.`,
    )
  }
  const headCommit = await importCommits(place.sandbox, workspace, worktree, signal)
  // A checkout that lacks an earlier merge would count as changed. Its failures come up below.
  await finishMerges(place.dataDir, () => undefined)
  const record = await readRecord(folder)
  if (record === null) throw new ToolProblem('The worktree no longer exists.')
  const baseCommit = await tipOf(record.repository, record.base)
  if (baseCommit === null) throw new ToolProblem(`There is no branch ${record.base} any more.`)
  const { merging } = record
  // The record has one merge: a second one would leave the checkout without the first.
  if (merging !== undefined && merging.from !== baseCommit) {
    throw new ToolProblem(
      `An earlier merge of this run is made, but a folder in which ${record.base} is checked out does not have it yet, for example because it has changes that are not committed. The service tries again: merge again later.`,
    )
  }
  const git = gitOf(folder, record)
  const common = await hostGitText(['merge-base', '--all', baseCommit, headCommit], git).catch(
    () => {
      throw new ToolProblem(`The branch has nothing in common with ${record.base}.`)
    },
  )
  const [parted = '', ...others] = common.split('\n')
  // There are several common ancestors: the difference to one of them does not show what the merge
  // would do.
  if (others.length > 0) {
    throw new ToolProblem(
      `The branch has several commits in common with ${record.base}, none of which has the others: merge ${baseCommit} into it first.`,
    )
  }
  if (parted === headCommit) {
    throw new ToolProblem(`There is nothing to merge: ${record.base} has every commit of the run.`)
  }
  return { folder, record, git, baseCommit, headCommit, parted }
}

/** The paths that a merge changes. */
export interface MergedPaths {
  /** as policy judges them: those of the branch, and those of the base */
  readonly accesses: readonly Access[]
  /** of the base alone: the base has moved a file or folder that the branch changes */
  readonly moved: readonly string[]
}

/**
 * The paths that a merge changes: in the branch, and in the base after the merge. The two differ if
 * the base has renamed a file since the common ancestor.
 */
export async function mergedPaths(merge: MergeAtHand): Promise<MergedPaths> {
  const { git, baseCommit, headCommit, parted } = merge
  const own = await changesBetween(git, parted, headCommit)
  const result = await mergedTree(git, baseCommit, headCommit)
  const merged = 'tree' in result ? await changesBetween(git, baseCommit, result.tree) : []
  const paths = new Set(own.map(({ path }) => path))
  const moved = merged.filter(({ path }) => !paths.has(path))
  return { accesses: [...own, ...moved], moved: moved.map(({ path }) => path) }
}

async function changesBetween(git: GitRun, from: string, to: string): Promise<Access[]> {
  const words = ['diff-tree', '-r', '-z', '--no-renames', '--raw', from, to]
  const fields = (await hostGitText(words, git)).split('\0').filter((field) => field !== '')
  if (fields.length > 2 * maxPaths) {
    throw new ToolProblem(`The branch changes more than ${maxPaths} files, the most in one merge.`)
  }
  const accesses: Access[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [facts = '', path = ''] = [fields[at], fields[at + 1]]
    if (submodule.test(facts)) {
      throw new ToolProblem(
        `The branch changes the submodule ${JSON.stringify(path)}, whose difference would not show what it brings. Take that change back, or have a person merge the branch.`,
      )
    }
    accesses.push({ operation: facts.endsWith(' D') ? 'delete' : 'write', path, target: 'file' })
  }
  return accesses
}

/** Git's modes before and after a change, where one of them is that of a submodule. */
const submodule = /^:(?:160000 |\d+ 160000 )/

/** The newest commits of a merge, which the approver reads as claims. */
export async function mergedCommits({
  git,
  baseCommit,
  headCommit,
}: MergeAtHand): Promise<{ readonly hash: string; readonly subject: string }[]> {
  const format = '--format=%H%x09%s'
  const words = ['log', `--max-count=${maxCommits}`, format, headCommit, `^${baseCommit}`]
  const lines = (await hostGitText(words, git)).split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const tab = line.indexOf('\t')
    return { hash: line.slice(0, tab), subject: line.slice(tab + 1, tab + 201) }
  })
}

/** The difference `base...branch`, as text, and which parts are not shown. */
export async function mergedDifference({
  git,
  headCommit,
  parted,
}: MergeAtHand): Promise<ShownDifference> {
  const words = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--full-index', '-M']
  const raw = ['diff-tree', '-r', ...binaryChangesWords, parted, headCommit]
  const binary = await binaryChanges(git, await hostGitText(raw, git))
  return shownDifference(await hostGitBytes([...words, parted, headCommit], git), binary)
}
