import { lstat } from 'node:fs/promises'
import path from 'node:path'
import type { Workspace } from '#domain/tools/workspace.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { isCommitHash, type WorktreeOnHost } from '#domain/tools/worktree.ts'
import { errorMessage } from '#domain/error-message.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { runSandboxed } from '#sandbox/bwrap/run-sandboxed.ts'
import { identityOf } from '#sandbox/hidden-paths.ts'
import { commandLimits } from '#sandbox/process/command-limits.ts'
import { CommandStopped } from '#sandbox/process/command-end.ts'
import { hostGit } from '#sandbox/worktrees/host-git.ts'
import { moveBranch, tipOf, UnmovableBranch } from '#sandbox/worktrees/repository.ts'
import {
  changeRecord,
  hostGitDirIn,
  readRecord,
  type WorktreeRecord,
} from '#sandbox/worktrees/worktree-record.ts'
import { gitOptions } from './ask-git.ts'

const timeoutMs = 120_000
const maxPackBytes = 64 * 1024 * 1024

/** Prints the tip of the branch, and its commits that the repository lacks, as a pack. */
const script = `git() { command git ${gitOptions} "$@"; }
head=$(git rev-parse --verify -q "refs/heads/$1^{commit}") || exit 9
echo "$head"
printf '%s\\n^%s\\n' "$head" "$2" | git pack-objects -q --revs --thin --delta-base-offset --stdout`

/** The worktrees whose commits are being imported, by their folders. */
const busy = new Map<string, Promise<string>>()

/**
 * Imports the commits of a worktree into its repository: the branch moves there, and nothing else.
 * Files that a command can write are read only in a sandbox. The sandbox packs new objects, and the
 * host checks every object of the pack (`index-pack --strict`). Returns the tip of the branch.
 * Rejects with `ToolProblem`.
 */
export async function importCommits(
  sandbox: HostSandbox,
  workspace: Workspace,
  worktree: WorktreeOnHost,
  signal: AbortSignal,
): Promise<string> {
  const before = busy.get(worktree.folder) ?? Promise.resolve('')
  const now = before.catch(() => undefined).then(() => takeIn(sandbox, workspace, worktree, signal))
  busy.set(worktree.folder, now)
  try {
    return await now
  } finally {
    if (busy.get(worktree.folder) === now) busy.delete(worktree.folder)
  }
}

async function takeIn(
  sandbox: HostSandbox,
  workspace: Workspace,
  worktree: WorktreeOnHost,
  signal: AbortSignal,
): Promise<string> {
  const record = await readRecord(worktree.folder)
  if (record === null || record.removed !== undefined)
    throw new ToolProblem('The worktree no longer exists.')
  const isSettled = record.importing === undefined
  if (isSettled && (await looseTip(workspace, worktree)) === record.tip) return record.tip
  const { head, pack } = await packOf(sandbox, workspace, record, worktree, signal)
  if (isSettled && head === record.tip) return head
  await storePack(worktree.folder, record, pack)
  const commit = await hostGit(['rev-parse', '--verify', '-q', `${head}^{commit}`], {
    gitDir: hostGitDirIn(worktree.folder),
  })
  if (commit.code !== 0) throw commitsProblem('they are not whole')
  await moveToImported(worktree.folder, record, head)
  return head
}

/**
 * Moves the branch to an imported commit. The record says first where it moves: a process that was
 * killed here earlier has moved it there, and nobody else may have.
 */
async function moveToImported(
  folder: string,
  { branch, importing, repository, runId, tip }: WorktreeRecord,
  head: string,
): Promise<void> {
  const now = await tipOf(repository, branch)
  const from = now !== null && now === importing ? now : tip
  // Each write renews the days for which the worktree is kept, so one that changes nothing is left
  // out: an import that somebody's branch is in the way of is tried again every few minutes.
  if (tip !== from || importing !== head) {
    await changeRecord(folder, (record) => ({ ...record, tip: from, importing: head }))
  }
  const why = `countersign: commits of run ${runId}`
  const moved = await moveBranch(repository, branch, { from, to: head, why }).catch(asProblem)
  if (!moved && (await tipOf(repository, branch)) !== head) {
    throw commitsProblem(`somebody else has moved the branch ${branch} of the repository`)
  }
  await changeRecord(folder, (record) => ({ ...record, tip: head, importing: undefined }))
}

function asProblem(error: unknown): never {
  throw error instanceof UnmovableBranch ? commitsProblem(error.message) : error
}

/** The tip in the branch's file; `null`: Git must be asked. */
async function looseTip(workspace: Workspace, { branch }: WorktreeOnHost): Promise<string | null> {
  const bytes = await workspace
    .read(`.git/refs/heads/${branch}`, { maxBytes: 100 })
    .catch(() => null)
  const text = bytes === null ? '' : Buffer.from(bytes).toString('latin1').trim()
  return isCommitHash(text) ? text : null
}

async function packOf(
  sandbox: HostSandbox,
  workspace: Workspace,
  { tip }: WorktreeRecord,
  { branch, objectStores }: WorktreeOnHost,
  signal: AbortSignal,
): Promise<{ readonly head: string; readonly pack: Buffer }> {
  if (!sandbox.works) throw commitsProblem(`no sandbox works on this host (${sandbox.problem})`)
  const git = path.join(workspace.root, '.git')
  const stats = await lstat(git, { bigint: true }).catch(() => null)
  if (stats?.isDirectory() !== true) throw commitsProblem('the worktree has no Git folder any more')
  const end = await runSandboxed({
    ...sandbox,
    plan: {
      zones: [{ path: git, mode: 'ro', identity: identityOf(stats) }],
      shared: objectStores,
      readOnly: [],
      pinned: [],
      covered: [],
      emptied: [],
      copies: [],
      cwd: git,
      cwdIdentity: identityOf(stats),
    },
    environment: { GIT_DIR: git },
    argv: ['/bin/bash', '--norc', '--noprofile', '-p', '-c', script, 'bash', branch, tip],
    timeoutMs,
    limits: { ...commandLimits, outputBytes: maxPackBytes },
    network: 'none',
    signal,
  }).catch((error: unknown) => {
    if (error instanceof CommandStopped) throw error
    throw commitsProblem(errorMessage(error))
  })
  const { bytes } = end.stdout
  const lineEnd = bytes.indexOf(10)
  const head = bytes.subarray(0, Math.max(lineEnd, 0)).toString('latin1')
  if (end.exceeded !== null || end.timedOut)
    throw commitsProblem('they are too large, or took too long')
  if (end.exitCode !== 0 || !isCommitHash(head)) {
    const errorText = end.stderr.bytes.subarray(0, 300).toString('utf8').trim()
    throw commitsProblem(
      `Git does not read the branch ${branch} of the worktree ${errorText}`.trim(),
    )
  }
  return { head, pack: bytes.subarray(lineEnd + 1) }
}

/** The number of objects of a pack is in its header, as 32 bits after the name and version. */
const countAt = 8
const headerBytes = 12

async function storePack(folder: string, record: WorktreeRecord, pack: Buffer): Promise<void> {
  if (pack.length < headerBytes || pack.readUInt32BE(countAt) === 0) return
  const end = await hostGit(['index-pack', '--strict', '--fix-thin', '--stdin'], {
    gitDir: hostGitDirIn(folder),
    environment: { GIT_OBJECT_DIRECTORY: record.objectStores[0] ?? '' },
    stdin: pack,
  })
  if (end.code !== 0) throw commitsProblem(`Git refuses them (${end.stderr.slice(0, 300)})`)
}

function commitsProblem(why: string): ToolProblem {
  return new ToolProblem(`The commits of this run were not taken into the repository: ${why}.`)
}
