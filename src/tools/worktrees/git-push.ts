import { z } from 'zod'
import { hashBytes } from '#domain/json/digest.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import { limits } from '#domain/limits.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { gitPushName } from '#domain/tools/built-in-tools.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { CallPresentation } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { isBranchName } from '#domain/tools/worktree.ts'
import { branchesOf, pushBranch } from '#sandbox/worktrees/remote-git.ts'
import type { CommandPlace } from '../commands/plan/command-place.ts'
import { defineBuiltIn, type NamedTool } from '../definition/define-built-in.ts'
import { makePresentation } from '../presentations/make-presentation.ts'
import { textWarnings } from '../presentations/text-warnings.ts'
import { printedLines } from './shown-difference.ts'
import {
  countPushed,
  lookAtPush,
  pushedAccesses,
  pushedPatches,
  type PushAtHand,
  type PushInput,
} from './look-at-push.ts'

const schema = z.strictObject({
  remote: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The name of a remote, never an address. Default: origin, or the only one.'),
  branch: z
    .string()
    .refine(isBranchName, 'it is no plain name of a branch')
    .optional()
    .describe('The branch of this run, which is the default, or the one at which it began.'),
})

/**
 * Pushes a branch to a remote with the host's credentials (product.md 36). It always asks, with the
 * address and every commit. It does nothing if either side has changed since.
 */
export function gitPush(place: CommandPlace): NamedTool<typeof gitPushName> {
  const look = (workspace: Workspace, input: PushInput, signal?: AbortSignal) =>
    lookAtPush(place, workspace, input, signal ?? new AbortController().signal)
  return defineBuiltIn({
    name: gitPushName,
    description:
      'Push what an earlier turn committed on the branch of this run, or on the branch at which it began, to a remote of the repository.',
    schema,
    readOnly: false,
    scopes: ['once'],
    accesses: () => [],
    touches: async (input, workspace) => pushedAccesses(await look(workspace, input)),
    async whyUnchanged(input, workspace) {
      const { branch, newCommit, oldCommit, remote } = await look(workspace, input)
      return oldCommit === newCommit ? `${remote} has ${branch} at ${newCommit}` : null
    },

    present: async (input, { toolHash, workspace, signal }) =>
      presentPush(await look(workspace, input, signal), toolHash),

    execute: async (input, { workspace, signal, facts }) =>
      carryOut(await look(workspace, input, signal), facts, signal),
  })
}

/** A push with the address and every commit. */
async function presentPush(push: PushAtHand, toolHash: string): Promise<CallPresentation> {
  const { branch, newCommit, oldCommit, remote, url } = push
  const count = await countPushed(push)
  const patches = await pushedPatches(push)
  const content = shownPush(push, count, patches.text)
  return {
    effect: `Push ${countWords(count, 'commit')} of ${branch} to ${remote} (${url})`,
    title: `Push ${branch} to ${remote} (${countWords(count, 'commit')})`,
    presentation: makePresentation({
      type: 'text',
      language: 'diff',
      content,
      metadata: {
        remote,
        url,
        branch,
        oldCommit,
        newCommit,
        commits: count,
        ...patches.metadata,
      },
      warnings: [...patches.warnings, ...textWarnings(printedLines(content))],
    }),
    facts: {
      toolHash,
      bases: [],
      newHash: hashBytes(content),
      detail: factsOf(push),
    },
    content: Buffer.from(content),
    contentType: 'text/plain',
  }
}

/** Pushes, unless a side has another commit than the one that was approved. */
async function carryOut(
  push: PushAtHand,
  facts: CallFacts,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { address, branch, newCommit, oldCommit: from, remote, remoteGit, url } = push
  const now = factsOf(push)
  const detail = facts.detail ?? {}
  if (Object.entries(now).some(([key, value]) => detail[key] !== value)) {
    throw new WorkspaceProblem('stale', '', `${branch} has another commit here or at ${remote}.`)
  }
  const refusal = await pushBranch(remoteGit, address, { branch, from, to: newCommit }, signal)
  if (refusal !== null) {
    const tip = (await branchesOf(remoteGit, address, signal)).get(branch) ?? null
    if (tip !== newCommit && tip !== from) {
      throw new WorkspaceProblem('stale', '', `${branch} of ${remote} has another commit.`)
    }
    const { isAnswer, message: sentence } = refusal
    // The remote may still be working: a person must find out whether it was pushed.
    if (tip === from && !isAnswer) throw new Error(`The push was cut off: ${sentence}`)
    if (tip === from) throw new ToolProblem(`Nothing was pushed: ${sentence}`)
  }
  const output = { pushed: true, remote, url, branch, oldCommit: from, newCommit }
  const text = `${branch} of ${remote} (${url}) is at ${newCommit}, before ${from ?? 'not there'}.`
  return { type: 'output', output, text }
}

/**
 * What an approval depends on; the address as it is shown. Nothing is derived from the rest of the
 * address, because it may contain a password: a reader of the trail could try passwords against a
 * hash.
 */
function factsOf({ url, branch, newCommit, oldCommit }: PushAtHand) {
  return { url, branch, oldCommit, newCommit }
}

function shownPush(push: PushAtHand, count: number, patches: string): string {
  const { branch, newCommit, oldCommit, remote, url } = push
  const content = `Remote: ${remote}
Address: ${url}
Branch: ${branch}
Before: ${oldCommit ?? 'a new branch'}
After: ${newCommit}
Commits: ${count}

${patches}
`
  const bytes = Buffer.byteLength(content)
  if (bytes <= limits.writeBytes) return content
  throw new ToolProblem(
    `The commits have ${bytes} bytes; at most ${limits.writeBytes} can be shown and pushed.`,
  )
}
