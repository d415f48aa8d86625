import { lstat } from 'node:fs/promises'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { runSandboxed } from '#sandbox/bwrap/run-sandboxed.ts'
import { identityOf } from '#sandbox/hidden-paths.ts'
import { commandLimits } from '#sandbox/process/command-limits.ts'
import { openWorkspace } from '#sandbox/workspace.ts'
import { isMerged } from '#sandbox/worktrees/remove-worktree.ts'
import { readRecord, treeIn } from '#sandbox/worktrees/worktree-record.ts'
import { importCommits } from '../commands/git/import-commits.ts'

const timeoutMs = 60_000
const script = `exec git -c 'safe.directory=*' -c core.fsmonitor=false -c core.hooksPath=/dev/null status --porcelain -z`

/**
 * Whether a worktree has nothing that its base lacks: every commit is merged, and no file is
 * changed or new. Also `false` when it cannot be determined, for instance on a host without a
 * sandbox: files that commands wrote are read only in a sandbox.
 */
export async function isSettled(
  sandbox: HostSandbox,
  folder: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!sandbox.works || !(await isMerged(folder))) return false
  const record = await readRecord(folder)
  if (record === null) return false
  const { branch, base, baseCommit, objectStores } = record
  const worktree = { branch, base, baseCommit, folder, objectStores }
  const tree = treeIn(folder)
  const workspace = await openWorkspace({ root: tree, hidden: [], worktree })
  await importCommits(sandbox, workspace, worktree, signal)
  if (!(await isMerged(folder))) return false
  const identity = identityOf(await lstat(tree, { bigint: true }))
  const end = await runSandboxed({
    ...sandbox,
    plan: {
      zones: [{ path: tree, mode: 'ro', identity }],
      shared: objectStores,
      readOnly: [],
      pinned: [],
      covered: [],
      emptied: [],
      copies: [],
      cwd: tree,
      cwdIdentity: identity,
    },
    environment: { GIT_OPTIONAL_LOCKS: '0' },
    argv: ['/bin/bash', '--norc', '--noprofile', '-p', '-c', script],
    timeoutMs,
    limits: commandLimits,
    network: 'none',
    signal,
  })
  const isClean = end.exitCode === 0 && !end.timedOut && end.exceeded === null
  return isClean && end.stdout.bytes.length === 0
}
