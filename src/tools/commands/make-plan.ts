import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { ToolProblem } from '../../domain/tool-problem.ts'
import type { Workspace } from '../../domain/tool.ts'
import { containsPath } from '../../policy/judge/consent/zones-of-path.ts'
import { identityOf } from '../../sandbox/hidden-paths.ts'
import { lookForNames, type FoundNames } from '../../sandbox/bwrap/look-for-names.ts'
import type { MountedZone, SandboxPlan } from '../../sandbox/bwrap/sandbox-plan.ts'
import { commandNames } from './command-names.ts'
import type { CommandPlace } from './command-place.ts'

/** What a command sees, and the protected names as they were before it. */
export interface PlannedSandbox {
  readonly plan: SandboxPlan
  readonly before: FoundNames
  /** looks again, once the command has ended */
  look(): Promise<FoundNames>
}

/**
 * What a command of this worker sees of the host: the zones where they lie, without the data folder, keys and other
 * programs' sockets, and with the protected names as they are (security.md 7, 8). `allowed`: files of keys that this very
 * command was approved with. `bounded`: as a command begins. Throws `ToolProblem` when a zone is not the folder that the policy names.
 */
export async function makePlan(
  place: CommandPlace,
  workspace: Workspace,
  cwd: string,
  allowed: ReadonlySet<string>,
  bounded = true,
): Promise<PlannedSandbox> {
  const { root } = workspace
  const zones: (MountedZone & { readonly at: string })[] = []
  const missing: string[] = []
  for (const { mode, root: at } of strictestByRoot(place)) {
    const state = await workspace.state(at)
    if (state.kind === 'absent') {
      missing.push(at)
      continue
    }
    const real = path.join(root, at)
    if (state.kind !== 'directory') throw new ToolProblem(`The zone ${at} is no folder.`)
    zones.push({ at, path: real, mode, identity: identityOf(await lstat(real, { bigint: true })) })
  }
  const names = commandNames(place, allowed)
  const outermost = zones.filter(
    (zone) => !zones.some((other) => other !== zone && containsPath(other.at, zone.at)),
  )
  const folders = outermost.map(({ at }) => at)
  const isWritable = (at: string): boolean => {
    const holding = zones.filter((zone) => containsPath(zone.at, at))
    return holding.toSorted((one, other) => other.at.length - one.at.length)[0]?.mode === 'rw'
  }
  // A zone that is not there yet must not be made by a command under another zone's mode.
  const kept = {
    ...names,
    standing: (at: string) => (missing.includes(at) ? 'guarded' : names.standing(at)),
  }
  const lookAt = async (isBounded: boolean): Promise<FoundNames> => {
    const hidden = place.dataDir
    const found = await lookForNames({ root, folders, names: kept, hidden, bounded: isBounded })
    return { ...found, guarded: new Map([...found.guarded].filter(([at]) => isWritable(at))) }
  }
  const before = await lookAt(bounded)
  const at = (below: string): string => path.join(root, below)
  const mounted = [...before.guarded].filter(([, { link }]) => !link)
  const covered = before.secrets.filter(({ folder }) => !folder).map((one) => one.path)
  const emptied = before.secrets.filter(({ folder }) => folder).map((one) => at(one.path))
  const data = path.relative(root, place.dataDir)
  const inZone = !data.startsWith('..') && folders.some((folder) => containsPath(folder, data))
  if (inZone && (await isFolder(place.dataDir))) emptied.push(place.dataDir)
  const standsBelow = (one: string): boolean => covered.includes(one)
  return {
    plan: {
      zones,
      pinned: mounted.filter(([, { pinned }]) => pinned).map(([one]) => at(one)),
      readOnly: mounted
        .filter(([one, { pinned }]) => !pinned && !standsBelow(one))
        .map(([one]) => at(one)),
      covered: [...covered, ...before.special].map(at),
      emptied,
      cwd: at(cwd),
    },
    before,
    look: () => lookAt(false),
  }
}

async function isFolder(at: string): Promise<boolean> {
  return lstat(at).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** One entry a root: of zones that share one, a read-only one decides. */
function strictestByRoot(place: CommandPlace): { root: string; mode: 'ro' | 'rw' }[] {
  const modes = new Map<string, 'ro' | 'rw'>()
  for (const { mode, root } of place.worker.zones) {
    modes.set(root, modes.get(root) === 'ro' ? 'ro' : mode)
  }
  return [...modes].map(([root, mode]) => ({ root, mode }))
}
