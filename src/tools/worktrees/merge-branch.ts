import { z } from 'zod'
import { mergeBranchName } from '#domain/tools/built-in-tools.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import {
  blockedCheckout,
  mergeCommit,
  mergedTree,
  moveBase,
} from '#sandbox/worktrees/merge-commits.ts'
import type { CommandPlace } from '../commands/plan/command-place.ts'
import { defineBuiltIn, type NamedTool } from '../definition/define-built-in.ts'
import { makePresentation } from '../presentations/make-presentation.ts'
import { textWarnings } from '../presentations/text-warnings.ts'
import { printedLines } from './shown-difference.ts'
import { lookAtMerge, mergedCommits, mergedDifference, mergedPaths } from './look-at-merge.ts'

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
 * Merges the branch of a run into the branch at which it began (product.md 35): always asks, with
 * the whole difference, and does nothing once either branch has another commit than was shown.
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

    async present({ message }, { toolHash, workspace, signal }) {
      const merge = await look(workspace, message, signal)
      const { baseCommit, headCommit, git, record } = merge
      const { branch, base } = record
      const { text: difference, metadata, warnings } = await mergedDifference(merge)
      const bytes = Buffer.from(difference)
      if (bytes.length > limits.writeBytes) {
        throw new ToolProblem(
          `The difference has ${bytes.length} bytes; at most ${limits.writeBytes} can be shown and merged.`,
        )
      }
      const commits = await mergedCommits(merge)
      const result = await mergedTree(git, baseCommit, headCommit)
      const conflicts = 'conflicts' in result ? result.conflicts : []
      const { accesses, moved } = await mergedPaths(merge)
      const files = accesses.length - moved.length
      return {
        effect: `Merge ${countWords(commits.length, 'commit')} of ${branch} into ${base}, ${countWords(files, 'changed file')}`,
        title: `Merge ${branch} into ${base} (${countWords(files, 'file')})`,
        presentation: makePresentation({
          type: 'diff',
          language: 'diff',
          content: difference,
          metadata: { branch, base, baseCommit, headCommit, commits, message, ...metadata },
          warnings: [
            ...(conflicts.length === 0
              ? []
              : [`It will fail: both branches change ${conflicts.join(', ')}`]),
            ...moved.map((path) => `It changes ${path}, which ${base} has renamed since.`),
            ...warnings,
            ...textWarnings(printedLines(difference)),
          ],
        }),
        facts: {
          toolHash,
          bases: [],
          newHash: hashBytes(difference),
          detail: { baseCommit, headCommit },
        },
        content: bytes,
        contentType: 'text/plain',
        proposes: new Map(),
      }
    },

    async execute({ message }, { workspace, signal, facts, commit }): Promise<ToolResult> {
      if (commit === undefined) throw new Error('A merge has an identity')
      const merge = await look(workspace, message, signal)
      const { baseCommit, folder, git, headCommit, record } = merge
      const { branch, base } = record
      const detail = facts.detail
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
      if (!(await moveBase(folder, record, { from: baseCommit, to }))) {
        throw new WorkspaceProblem('stale', '', `${base} has another commit.`)
      }
      const output = { merged: true, branch, base, commit: to }
      return { type: 'output', output, text: `${branch} is merged into ${base} as ${to}.` }
    },
  })
}
