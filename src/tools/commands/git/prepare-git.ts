import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { CommitIdentity } from '#domain/tools/commit-identity.ts'
import type { MountedCopy, SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { gitEnvironment, gitFolder, writeGitFiles } from '#sandbox/git/git-files.ts'
import { identityAt, type Snapshots } from '#sandbox/snapshots/snapshots.ts'
import type { CommandPlace } from '../plan/command-place.ts'
import { coveredInGit, type CoveredInGit } from './tracked-bytes.ts'

/** The plan and environment with which Git works inside the sandbox as it does outside. */
export interface PreparedGit {
  readonly plan: SandboxPlan
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Gives Git an identity and hooks that add the service's trailers (product.md 36), and makes
 * covered files look unchanged to it (37): a tracked file has the contents that Git has of it, and
 * any other file is ignored. `sees`: whether this command may read Git's contents of covered files.
 * `copied`: folders that it gets as copies of what Git has, so that Git need not be asked.
 */
export async function prepareGit(
  place: CommandPlace,
  plan: SandboxPlan,
  snapshots: Snapshots,
  commit: CommitIdentity,
  options: {
    readonly sees: boolean
    readonly copied: readonly string[]
    readonly signal: AbortSignal
  },
): Promise<PreparedGit> {
  const folder = path.join(snapshots.folder, 'git')
  await mkdir(folder, { mode: 0o755 })
  if (!place.sandbox.works) {
    await writeGitFiles(folder, commit, [])
    return { plan, environment: gitEnvironment(commit, folder, false) }
  }
  const inGit: CoveredInGit = options.sees
    ? await coveredInGit(place, plan, options.copied, options.signal)
    : { tracked: [], untracked: [] }
  await writeGitFiles(folder, commit, inGit.untracked)
  const copies: MountedCopy[] = [
    { path: gitFolder, from: folder, mode: 'ro', identity: await identityAt(folder) },
  ]
  for (const [index, file] of inGit.tracked.entries()) {
    const { bytes, changedAtSeconds, mode, path: at } = file
    const from = path.join(snapshots.folder, `tracked-${index}`)
    await writeFile(from, bytes, { flag: 'wx' })
    await chmod(from, mode)
    await utimes(from, changedAtSeconds, changedAtSeconds)
    copies.push({ path: at, from, mode: 'ro', identity: await identityAt(from) })
  }
  const visible = new Set(inGit.tracked.map((file) => file.path))
  const covered = plan.covered.filter((at) => !visible.has(at))
  return {
    plan: { ...plan, covered, copies: [...plan.copies, ...copies] },
    environment: gitEnvironment(commit, gitFolder, inGit.tracked.length > 0),
  }
}
