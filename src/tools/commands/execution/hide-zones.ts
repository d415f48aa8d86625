import path from 'node:path'
import type { Zone } from '#policy/worker-definition.ts'
import type { SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'

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
  const isVisible = (at: string): boolean => {
    const [deepest] = plan.zones
      .filter((zone) => isWithin(zone.path, at))
      .toSorted((left, right) => right.path.length - left.path.length)
    return deepest === undefined || !hidden.has(deepest.path)
  }
  const emptied = plan.zones
    .filter(({ path: at }) => hidden.has(at) && mounted.some((zone) => isWithin(zone.path, at)))
    .map((zone) => zone.path)
  return {
    ...plan,
    zones: mounted,
    ...(hidden.has(root) ? { shared: [] } : {}),
    pinned: plan.pinned.filter(isVisible),
    readOnly: plan.readOnly.filter(isVisible),
    covered: plan.covered.filter(isVisible),
    emptied: [...plan.emptied.filter(isVisible), ...emptied],
  }
}

function isWithin(folder: string, at: string): boolean {
  return at === folder || at.startsWith(`${folder}/`)
}
