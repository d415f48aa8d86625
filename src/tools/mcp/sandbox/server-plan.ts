import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { containsPath, decidingZones } from '#policy/globs/zones-of-path.ts'
import { isReadBlocked } from '#policy/worker/read-blocked.ts'
import type { Zone } from '#policy/worker-definition.ts'
import { filesInGit } from '#sandbox/git/tracked-paths.ts'
import { realDataFolders } from '#sandbox/hidden-paths.ts'
import type { CommandSite } from '../../commands/plan/command-place.ts'
import { hideObjects, hideZones } from '../../commands/execution/hide-zones.ts'
import { makePlan, type PlannedSandbox } from '../../commands/plan/make-plan.ts'
import type { ServerPlace } from '../connection.ts'

/** The sandbox of a server, and the absolute paths that its arguments add to it. */
export interface PlannedServer extends PlannedSandbox {
  readonly named: readonly string[]
}

/**
 * The parts of the host that a server sees: those that its worker's commands see, and what its
 * arguments name by absolute paths. A folder of the workspace that they name counts as a zone that
 * is only read, so that keys in it are covered. They never lead into a data folder, into a zone
 * whose reads are blocked, or out of the workspace by a link that a worker can write (security.md
 * 8, 10). `bounded`: see `makePlan`.
 */
export async function planServer(
  site: CommandSite,
  { policy, worker, workspace }: ServerPlace,
  args: readonly string[],
  bounded: boolean,
): Promise<PlannedServer> {
  const { root } = workspace
  const dataDir = await realpath(site.dataDir).catch(() => site.dataDir)
  const hidden = await realDataFolders(site)
  const named: string[] = []
  const zones = [...worker.zones]
  for (const arg of args.filter((word) => path.isAbsolute(word))) {
    const at = await realpath(arg).catch(() => null)
    if (at === null || at === '/' || leadsOut(worker.zones, root, arg, at)) continue
    // A worktree lies in the data folder, so a folder around the data folder cannot be shown.
    const isWorktree = containsPath(dataDir, root)
    const isHidden = hidden.some((folder) => containsPath(folder, at))
    if (isHidden && !(isWorktree && containsPath(root, at))) continue
    if (containsPath(at, dataDir) && isWorktree) continue
    const below = containsPath(at, root)
      ? ''
      : containsPath(root, at)
        ? path.relative(root, at)
        : null
    const isInside = below !== null && containsPath(root, at)
    if (isInside && decidingZones(worker.zones, below).some(isReadBlocked)) continue
    named.push(at)
    if (below === null || zones.some((zone) => containsPath(zone.root, below))) continue
    if ((await stat(at)).isDirectory()) zones.push(readOnlyZone(below))
  }
  const place = { ...site, dataDir, policy, worker: { ...worker, zones } }
  const planned = await makePlan(place, workspace, '', new Set(), bounded)
  const blocked = worker.zones.filter(isReadBlocked)
  const names = blocked.map(({ name }) => name)
  const withoutZones = hideZones(planned.plan, root, zones, names)
  const plan = await hideObjects(withoutZones, root, zones, await namesInGit(blocked, root))
  const emptied = new Set(plan.emptied)
  for (const folder of [...hidden, ...blocked.map((zone) => path.join(root, zone.root))]) {
    const isThere = (await stat(folder).catch(() => null)) !== null
    if (isThere && named.some((at) => containsPath(at, folder))) emptied.add(folder)
  }
  return { ...planned, plan: { ...plan, emptied: [...emptied] }, named }
}

/**
 * The names of the zones of which Git may have copies. Without its objects, Git neither shows them
 * to a server nor records that the files, which it does not find, are deleted.
 */
async function namesInGit(zones: readonly Zone[], root: string): Promise<string[]> {
  const names: string[] = []
  for (const zone of zones) {
    if ((await filesInGit(path.join(root, zone.root))) !== 'none') names.push(zone.name)
  }
  return names
}

/** Whether a path leads out by a writable zone: the worker could redirect it by a link. */
export function leadsOut(
  zones: readonly Zone[],
  root: string,
  written: string,
  real: string,
): boolean {
  const at = path.resolve(root, written)
  if (!containsPath(root, at) || containsPath(root, real)) return false
  const below = path.relative(root, at)
  return decidingZones(zones, below).some((zone) => zone.mode === 'rw')
}

function readOnlyZone(root: string): Zone {
  const source = 'the arguments of an MCP server'
  return { name: source, root, mode: 'ro', suffixes: null, approval: {}, protected: [], source }
}
