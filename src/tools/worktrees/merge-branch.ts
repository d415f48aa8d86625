import { z } from 'zod'
import { errorMessage } from '#domain/error-message.ts'
import { mergeBranchName } from '#domain/tools/built-in-tools.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { CommitIdentity } from '#domain/tools/commit-identity.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import {
  blockedCheckout,
  finishMerge,
  mergeCommit,
  mergedTree,
  moveBase,
} from '#sandbox/worktrees/merge-commits.ts'
import { UnmovableBranch } from '#sandbox/worktrees/repository.ts'
import type { CommandPlace } from '../commands/plan/command-place.ts'
import { defineBuiltIn, type NamedTool } from '../definition/define-built-in.ts'
import { lookAtMerge, mergedPaths, type MergeAtHand } from './look-at-merge.ts'
import { presentMerge } from './present-merge.ts'

const maxMessageCharacters = 4000

const schema = z.strictObject({
  message: z
    .string()
    .min(1)
    .max(maxMessageCharacters)
    .refine((text) => text.trim() !== '', 'it is empty')
    .describe('The message of the merge commit.'),
})

/**
 * Merges the branch of a run into the branch at which it began (product.md 35). It always asks,
 * with the whole difference. It does nothing if either branch no longer has the commit that was
 * shown.
 */
export function mergeBranch(place: CommandPlace): NamedTool<typeof mergeBranchName> {
  const look = (
    workspace: Parameters<typeof lookAtMerge>[1],
    message: string,
    signal?: AbortSignal,
  ) => lookAtMerge(place, workspace, message, signal ?? new AbortController().signal)
  return defineBuiltIn({
    name: mergeBranchName,
    description:
      'Merge the branch of this run, with everything that an earlier turn committed, into the branch at which it began.',
    schema,
    readOnly: false,
    scopes: ['once'],
    commits: true,
    accesses: () => [],
    touches: async ({ message }, workspace) =>
      (await mergedPaths(await look(workspace, message))).accesses,

    present: async ({ message }, { toolHash, workspace, signal }) =>
      presentMerge(await look(workspace, message, signal), message, toolHash),

    async execute({ message }, { workspace, signal, facts, commit }) {
      if (commit === undefined) throw new Error('A merge has an identity')
      return carryOut(await look(workspace, message, signal), message, facts, commit)
    },
  })
}

/** Makes the merge commit, unless a branch has another commit than the one that was approved. */
async function carryOut(
  merge: MergeAtHand,
  message: string,
  { detail }: CallFacts,
  commit: CommitIdentity,
): Promise<ToolResult> {
  const { baseCommit, folder, git, headCommit, record } = merge
  const { branch, base } = record
  if (detail?.['baseCommit'] !== baseCommit || detail['headCommit'] !== headCommit) {
    throw new WorkspaceProblem('stale', '', `${base} or ${branch} has another commit.`)
  }
  const result = await mergedTree(git, baseCommit, headCommit)
  if ('conflicts' in result) {
    const { conflicts } = result
    return {
      type: 'error',
      output: { merged: false, branch, base, conflicts: [...conflicts] },
      text: `Nothing was merged: ${branch} and ${base} both change ${conflicts.join(', ')}. Merge ${base} into your branch first.`,
    }
  }
  const parents = { tree: result.tree, base: baseCommit, head: headCommit }
  const to = await mergeCommit(git, parents, message, commit)
  const blocked = await blockedCheckout(folder, record, { from: baseCommit, to })
  if (blocked !== null) {
    throw new ToolProblem(
      `Nothing was merged: ${base} is checked out with changes that are not committed (${blocked}).`,
    )
  }
  const moved = await moveBase(folder, record, { from: baseCommit, to }).catch((error: unknown) => {
    throw error instanceof UnmovableBranch
      ? new ToolProblem(`Nothing was merged: ${error.message}.`)
      : error
  })
  if (!moved) throw new WorkspaceProblem('stale', '', `${base} has another commit.`)
  // The merge is made, whatever its checkout lacks.
  const behind = await finishMerge(folder).then(
    () => '',
    (error: unknown) =>
      ` The folder in which ${base} is checked out does not have it yet (${errorMessage(error).slice(0, 300)}): the service tries again.`,
  )
  const output = { merged: true, branch, base, commit: to }
  return { type: 'output', output, text: `${branch} is merged into ${base} as ${to}.${behind}` }
}
