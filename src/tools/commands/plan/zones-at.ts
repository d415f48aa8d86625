import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import { identityOf } from '#sandbox/hidden-paths.ts'
import type { MountedZone } from '#sandbox/bwrap/sandbox-plan.ts'
import type { CommandPlace } from './command-place.ts'

/** A zone that is there; `at`: its path below the root of the workspace. */
export type ZoneAt = MountedZone & { readonly at: string }

/** The zones that are there, and the paths of the others. */
export async function zonesAt(
  place: CommandPlace,
  workspace: Workspace,
): Promise<{ readonly zones: readonly ZoneAt[]; readonly missing: readonly string[] }> {
  const zones: ZoneAt[] = []
  const missing: string[] = []
  for (const { mode, root: at } of rootsOf(place, workspace)) {
    const state = await workspace.state(at)
    if (state.kind === 'absent') {
      missing.push(at)
      continue
    }
    const real = path.join(workspace.root, at)
    if (state.kind !== 'directory') throw new ToolProblem(`The zone ${at} is not a folder.`)
    zones.push({ at, path: real, mode, identity: identityOf(await lstat(real, { bigint: true })) })
  }
  return { zones, missing }
}

/** The zones that lie in no other. */
export function outermostZones(zones: readonly ZoneAt[]): string[] {
  const outer = zones.filter(
    (zone) => !zones.some((other) => other !== zone && containsPath(other.at, zone.at)),
  )
  return outer.map(({ at }) => at)
}

/** Whether the project lies in a zone that commands may write: the innermost one decides. */
export function isProjectWritable(
  { projectDir }: CommandPlace,
  root: string,
  zones: readonly ZoneAt[],
): boolean {
  const project = path.relative(root, projectDir)
  if (project.startsWith('..')) return false
  const holding = zones.filter(({ at }) => containsPath(at, project))
  return holding.toSorted((left, right) => right.at.length - left.at.length)[0]?.mode === 'rw'
}

/** The zones, and a worktree's Git folder: a run may commit what it may write. */
function rootsOf(
  place: CommandPlace,
  { worktree }: Workspace,
): { root: string; mode: 'ro' | 'rw' }[] {
  const roots = strictestByRoot(place)
  const isWhole = roots.some(({ root }) => root === '')
  return worktree === undefined || !isWhole ? roots : [...roots, { root: '.git', mode: 'rw' }]
}

/** One entry for each root: of zones with the same root, a read-only one decides. */
function strictestByRoot(place: CommandPlace): { root: string; mode: 'ro' | 'rw' }[] {
  const modes = new Map<string, 'ro' | 'rw'>()
  for (const { mode, root } of place.worker.zones) {
    modes.set(root, modes.get(root) === 'ro' ? 'ro' : mode)
  }
  return [...modes].map(([root, mode]) => ({ root, mode }))
}
