import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { CallPresentation } from '#domain/tools/tool.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { lookForBlockedCheckout, mergedTree } from '#sandbox/worktrees/merge-commits.ts'
import { makePresentation } from '../presentations/make-presentation.ts'
import { textWarnings } from '../presentations/text-warnings.ts'
import { mergedCommits, mergedDifference, mergedPaths, type MergeAtHand } from './look-at-merge.ts'
import { printedLines } from './shown-difference.ts'

/** A merge with its whole difference, and warnings about conflicts and other obstacles. */
export async function presentMerge(
  merge: MergeAtHand,
  message: string,
  toolHash: string,
): Promise<CallPresentation> {
  const { baseCommit, headCommit, record } = merge
  const { branch, base } = record
  const { text: difference, metadata, warnings } = await mergedDifference(merge)
  const bytes = Buffer.from(difference)
  if (bytes.length > limits.writeBytes) {
    throw new ToolProblem(
      `The difference has ${bytes.length} bytes; at most ${limits.writeBytes} can be shown and merged.`,
    )
  }
  const commits = await mergedCommits(merge)
  const obstacles = await obstaclesOf(merge)
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
        ...obstacles,
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
  }
}

/** Why the merge would fail now. A person can put it right before they approve. */
async function obstaclesOf(merge: MergeAtHand): Promise<string[]> {
  const { baseCommit, folder, git, headCommit, record } = merge
  const result = await mergedTree(git, baseCommit, headCommit)
  if ('conflicts' in result) {
    return [`It will fail: both branches change ${result.conflicts.join(', ')}`]
  }
  const update = { from: baseCommit, to: result.tree }
  // What cannot be looked at must not keep the difference from the request.
  const blocked = await lookForBlockedCheckout(folder, record, update).catch(() => null)
  if (blocked === null) return []
  return [
    `It will fail as long as ${record.base} is checked out with changes that are not committed: ${blocked.trim()}`,
  ]
}
