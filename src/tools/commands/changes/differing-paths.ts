import { lstat } from 'node:fs/promises'
import path from 'node:path'
import type { WorktreeOnHost } from '#domain/tools/worktree.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import { secretName } from '#policy/names/secret-names.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { runSandboxed } from '#sandbox/bwrap/run-sandboxed.ts'
import { readOnlyPlan, type SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { identityOf } from '#sandbox/hidden-paths.ts'
import { commandLimits } from '#sandbox/process/command-limits.ts'
import { textOfName } from '#sandbox/names/raw-names.ts'
import { hostGitDirIn } from '#sandbox/worktrees/worktree-record.ts'
import { deepestMount } from '../plan/deepest-mount.ts'

const timeoutMs = 30_000
const outputBytes = 32 * 1024 * 1024
/** With more differing paths nothing is listed, because each is read after each command. */
const maxPaths = 20_000

/** The Git folder is the host's, so that no setting of the run's counts. */
const argv = [
  'git',
  '-c',
  'safe.directory=*',
  '-c',
  'core.fsmonitor=false',
  'status',
  '--porcelain=v2',
  '-z',
  '--untracked-files=all',
  '--no-renames',
  '--ignore-submodules=all',
]

/**
 * The paths of a worktree that differ from the commit at which it began, without ignored ones, and
 * for each the object of that commit, or `null`. Git reads them in a sandbox that sees what the
 * command saw and can write nothing. `null`: they are too many, or cannot be read.
 */
export async function differingPaths(
  sandbox: HostSandbox,
  plan: SandboxPlan,
  place: { readonly root: string; readonly worktree: WorktreeOnHost; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, string | null> | null> {
  const gitDir = hostGitDirIn(place.worktree.folder)
  const own = await lstat(gitDir, { bigint: true }).catch(() => null)
  // Without an index, an earlier version made this worktree.
  const index = await lstat(path.join(gitDir, 'index')).catch(() => null)
  if (!sandbox.works || own === null || index === null) return null
  const readable = readOnlyPlan(plan)
  const end = await runSandboxed({
    ...sandbox,
    plan: {
      ...readable,
      zones: [...readable.zones, { path: gitDir, mode: 'ro', identity: identityOf(own) }],
      shared: place.worktree.objectStores,
      readOnly: [],
      copies: [],
      cwd: place.root,
      cwdIdentity: null,
    },
    environment: {
      GIT_DIR: gitDir,
      GIT_WORK_TREE: place.root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_OPTIONAL_LOCKS: '0',
    },
    argv,
    timeoutMs,
    limits: { ...commandLimits, outputBytes },
    network: 'none',
    signal: place.signal,
  })
  if (end.exitCode !== 0 || end.timedOut || end.exceeded !== null) return null
  const paths = readStatus(end.stdout.bytes)
  return paths.size > maxPaths ? null : paths
}

/** Fields before the path of a changed entry: `1 XY sub mH mI mW hH hI path` (git-status(1)). */
const fieldsBefore = 8
const objectField = 7

function readStatus(bytes: Buffer): ReadonlyMap<string, string | null> {
  const paths = new Map<string, string | null>()
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at)
    if (end < 0) break
    const line = bytes.subarray(at, end)
    at = end + 1
    if (line.toString('latin1', 0, 2) === '? ') paths.set(textOfName(line.subarray(2)), null)
    if (line.toString('latin1', 0, 2) !== '1 ') continue
    const fields = line.toString('latin1').split(' ', fieldsBefore)
    const before = fields.reduce((sum, field) => sum + field.length + 1, 0)
    paths.set(textOfName(line.subarray(before)), fields[objectField] ?? null)
  }
  return paths
}

/**
 * Whether a command could write a path, and reading the path reveals nothing that the sandbox
 * hides. Covered files, hidden zones and keys count as absent.
 */
export function isWritableIn(plan: SandboxPlan, root: string, at: string): boolean {
  const absolute = path.join(root, at)
  const isHidden = [...plan.covered, ...plan.emptied].some((at) => containsPath(at, absolute))
  if (isHidden || secretName(at) !== null) return false
  return deepestMount(plan.zones, absolute)?.mode === 'rw'
}
