import type { CommitIdentity } from '#domain/tools/commit-identity.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { runSandboxed } from '#sandbox/bwrap/run-sandboxed.ts'
import { readOnlyPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { commandLimits } from '#sandbox/process/command-limits.ts'
import { Snapshots } from '#sandbox/snapshots/snapshots.ts'
import type { CommandPlace } from '../plan/command-place.ts'
import { makePlan } from '../plan/make-plan.ts'
import { prepareGit } from './prepare-git.ts'

const timeoutMs = 60_000
const script = `exec git -c 'safe.directory=*' -c core.fsmonitor=false status --porcelain -z --no-renames`

/** Git commits nothing here. */
const nobody: CommitIdentity = {
  author: { name: 'Countersign', email: 'countersign@countersign.localhost' },
  committer: { name: 'Countersign', email: 'countersign@countersign.localhost' },
  trailers: [],
}

/**
 * The uncommitted paths of a worktree, as a command of the worker would see them: covered files
 * count as unchanged. Asked in a sandbox where nothing can be written. Rejects with `ToolProblem`.
 */
export async function uncommittedPaths(
  place: CommandPlace,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { sandbox, worker } = place
  if (!sandbox.works) throw new ToolProblem(`Git cannot be asked on this host: ${sandbox.problem}.`)
  if (!worker.zones.some(({ root }) => root === '')) {
    throw new ToolProblem('Git cannot be asked: no zone of this worker has the root ".".')
  }
  await using snapshots = await Snapshots.open(place.dataDir)
  const { plan } = await makePlan(place, workspace, '', new Set())
  const prepared = await prepareGit(place, plan, snapshots, nobody, {
    sees: true,
    copied: [],
    signal,
  })
  const end = await runSandboxed({
    ...sandbox,
    plan: readOnlyPlan(prepared.plan),
    environment: { ...prepared.environment, GIT_OPTIONAL_LOCKS: '0' },
    argv: ['/bin/bash', '--norc', '--noprofile', '-p', '-c', script],
    timeoutMs,
    limits: commandLimits,
    network: 'none',
    signal,
  })
  if (end.exitCode !== 0 || end.timedOut || end.exceeded !== null) {
    const errorText = end.stderr.bytes.subarray(0, 300).toString('utf8').trim()
    throw new ToolProblem(`Git does not read the worktree: ${errorText || 'it took too long'}`)
  }
  const entries = end.stdout.bytes.toString('utf8').split('\0')
  return entries.flatMap((entry) => (entry === '' ? [] : [entry.slice('XY '.length)]))
}
