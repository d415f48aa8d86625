import path from 'node:path'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import type { Zone } from '#policy/worker-definition.ts'
import { objectFoldersAround } from '#sandbox/git/object-folders.ts'
import { outermost } from '#sandbox/bwrap/bwrap-arguments.ts'
import type { SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { deepestMount } from '../plan/deepest-mount.ts'

/**
 * A plan for commands that run code of the workspace. They cannot read Git's objects of the
 * repositories that contain hidden zones, or of the submodules of these. `names` are the names of
 * the zones, which are hidden already. `root` is the root of the workspace.
 */
export async function hideObjects(
  plan: SandboxPlan,
  root: string,
  zones: readonly Zone[],
  names: readonly string[],
): Promise<SandboxPlan> {
  const hidden = zones.filter(({ name }) => names.includes(name))
  const around = hidden.map((zone) => objectFoldersAround(root, path.join(root, zone.root)))
  const folders = new Set((await Promise.all(around)).flat())
  const objects = outermost([...folders].filter((at) => isShown(plan, at)))
  const isKept = (at: string): boolean => !objects.some((folder) => containsPath(folder, at))
  return {
    ...plan,
    shared: [],
    around: (plan.around ?? []).filter(({ path: at }) => isKept(at)),
    covered: plan.covered.filter(isKept),
    emptied: [...plan.emptied.filter(isKept), ...objects],
  }
}

/** Whether a path lies in a mounted zone, and in no folder that the plan empties. */
export function isShown(plan: SandboxPlan, at: string): boolean {
  return (
    plan.zones.some((zone) => containsPath(zone.path, at)) &&
    !plan.emptied.some((folder) => containsPath(folder, at))
  )
}

/**
 * A plan without some zones (security.md 40): they are not mounted, and empty where they lie in a
 * mounted zone. A zone below a hidden one is hidden with it there. `root` is the workspace's.
 */
export function hideZones(
  plan: SandboxPlan,
  root: string,
  zones: readonly Zone[],
  names: readonly string[],
): SandboxPlan {
  const hidden = new Set(
    zones.filter(({ name }) => names.includes(name)).map((zone) => path.join(root, zone.root)),
  )
  if (hidden.size === 0) return plan
  const mounted = plan.zones.filter(
    // The Git folder of a worktree has the contents of its files.
    (zone) =>
      !hidden.has(zone.path) && !(hidden.has(root) && zone.path === path.join(root, '.git')),
  )
  // Nothing can be mounted in a read-only folder.
  const emptied = outermost(
    plan.zones
      .map((zone) => zone.path)
      .filter((at) => hidden.has(at) && mounted.some((zone) => containsPath(zone.path, at))),
  )
  const isBelow = (at: string): boolean => emptied.some((folder) => containsPath(folder, at))
  const isVisible = (at: string): boolean => {
    const deepest = deepestMount(plan.zones, at)
    return deepest === undefined || !(hidden.has(deepest.path) || isBelow(deepest.path))
  }
  return {
    ...plan,
    zones: mounted.filter((zone) => !isBelow(zone.path)),
    ...(hidden.has(root) ? { shared: [] } : {}),
    pinned: plan.pinned.filter(isVisible),
    around: (plan.around ?? []).filter(({ path: at }) => isVisible(at)),
    readOnly: plan.readOnly.filter(isVisible),
    covered: plan.covered.filter(isVisible),
    emptied: [...plan.emptied.filter(isVisible), ...emptied],
  }
}
