import { lstat } from 'node:fs/promises'
import path from 'node:path'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import { realDataFolders } from '#sandbox/hidden-paths.ts'
import { openDirectory, plainWalk } from '#sandbox/open-directory.ts'
import type { ZoneNames } from '#sandbox/bwrap/names/look-for-names.ts'
import type { MountedZone, SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { foldersToKeep } from '#policy/names/own-files.ts'
import type { CommandPlace } from './command-place.ts'
import { deepestMount } from './deepest-mount.ts'
import { lookInThread, undoInThread } from './look-in-thread.ts'
import type { ZonesToLook } from './look-protocol.ts'
import { isProjectWritable, outermostZones, zonesAt, type ZoneAt } from './zones-at.ts'

/** The sandbox of a command, and the protected names before it. */
export interface PlannedSandbox {
  readonly plan: SandboxPlan
  readonly before: ZoneNames
  /**
   * Searches again in a thread after the command has ended, and undoes changes of protected names
   * since `before`. Returns sentences. Changes after `untilMs` stay.
   */
  undo(before: Pick<ZoneNames, 'guarded' | 'closed'>, untilMs?: number): Promise<string[]>
}

/**
 * The parts of the host that a command of this worker sees: the zones at their own paths, without
 * the data folder, keys and other programs' sockets. The command cannot change protected names
 * (security.md 7, 8). `allowed`: key files that this command was approved with. `bounded`: before a
 * command begins. Throws `ToolProblem` when a zone is not the folder that the policy names.
 */
export async function makePlan(
  place: CommandPlace,
  workspace: Workspace,
  cwd: string,
  allowed: ReadonlySet<string>,
  bounded = true,
): Promise<PlannedSandbox> {
  const { root } = workspace
  const { missing, zones } = await zonesAt(place, workspace)
  const toLook = lookOf(place, root, zones, missing)
  if (bounded && isProjectWritable(place, root, zones)) {
    await makeOwnFolders(root, place.projectDir)
  }
  const sinceMs = Date.now()
  const before = await lookInThread({ ...toLook, allowed }, bounded)
  return {
    plan: await planOf(place, workspace, cwd, zones, before),
    before,
    undo: (was, untilMs = Number.POSITIVE_INFINITY) =>
      undoInThread({ ...toLook, allowed, sinceMs }, was, untilMs),
  }
}

/** What the thread needs to search the zones for protected names. */
function lookOf(
  { dataDir, policy, projectDir, sandbox, worker }: CommandPlace,
  root: string,
  zones: readonly ZoneAt[],
  missing: readonly string[],
): Omit<ZonesToLook, 'allowed'> {
  const { workspace, workspaces } = policy.config
  return {
    root,
    folders: outermostZones(zones),
    zones: zones.map(({ at, mode }) => ({ at, mode })),
    missing,
    hidden: dataDir,
    mountsWhole: sandbox.works,
    names: {
      policy: {
        config: { workspaces, ...(workspace === undefined ? {} : { workspace }) },
        workers: new Map([...policy.workers].map(([name, { model }]) => [name, { model }])),
        toolFiles: policy.toolFiles.map((file) => ({ path: file.path })),
      },
      projectDir,
      worker: { zones: worker.zones },
    },
    sinceMs: null,
  }
}

/** The plan of a sandbox with these zones, which covers what was found in them. */
async function planOf(
  place: Pick<CommandPlace, 'dataDir' | 'projectDir'>,
  { root, worktree }: Workspace,
  cwd: string,
  zones: readonly ZoneAt[],
  { guarded, secrets, special }: ZoneNames,
): Promise<SandboxPlan> {
  const at = (below: string): string => path.join(root, below)
  const folders = outermostZones(zones)
  const mounted = [...guarded].filter(([, { link }]) => !link)
  const covered = secrets.filter(({ folder }) => !folder).map((secret) => secret.path)
  const emptied = secrets.filter(({ folder }) => folder).map((secret) => at(secret.path))
  for (const folder of await realDataFolders(place)) {
    const data = path.relative(root, folder)
    const inZone = !data.startsWith('..') && folders.some((zone) => containsPath(zone, data))
    if (inZone && (await isUnlinkedFolder(folder))) emptied.push(folder)
  }
  const places = [...zones.map((zone) => zone.path), ...emptied]
  const around = await foldersAround(root, zones, places)
  const here = at(cwd)
  const isEmptied = emptied.some((folder) => containsPath(folder, here))
  return {
    zones,
    around: around.filter(({ path: it }) => !emptied.some((folder) => containsPath(folder, it))),
    pinned: mounted.filter(([, { pinned }]) => pinned).map(([name]) => at(name)),
    readOnly: mounted
      .filter(([name, { pinned }]) => !pinned && !covered.includes(name))
      .map(([name]) => at(name)),
    covered: [...covered, ...special].map(at),
    emptied,
    parents: new Map(secrets.map((secret) => [at(secret.path), secret.parent])),
    ...(folders.includes('') && worktree !== undefined ? { shared: worktree.objectStores } : {}),
    copies: [],
    cwd: here,
    cwdIdentity: isEmptied ? null : await identityOfFolder(root, cwd),
  }
}

/**
 * The folders of writable zones between a zone's root and other places in it, absolute. If a folder
 * around a mount is renamed, the mount moves with it, and the host then has its files at the new
 * path. There they would be in another zone, or not hidden.
 */
async function foldersAround(
  root: string,
  zones: readonly ZoneAt[],
  places: readonly string[],
): Promise<MountedZone[]> {
  const folders = new Map<string, MountedZone>()
  for (const place of places) {
    for (let at = path.dirname(place); !folders.has(at); at = path.dirname(at)) {
      const deepest = deepestMount(zones, at)
      if (deepest === undefined || deepest.path === at) break
      if (deepest.mode === 'ro') continue
      const identity = await identityOfFolder(root, path.relative(root, at))
      if (identity !== null) folders.set(at, { path: at, mode: 'rw', identity })
    }
  }
  return [...folders.values()]
}

/** `null` for a missing folder: the sandbox reports it. */
async function identityOfFolder(root: string, at: string): Promise<string | null> {
  try {
    const components = at === '' ? [] : at.split('/')
    await using folder = await openDirectory(plainWalk(root), components, false)
    return folder.identity
  } catch (error) {
    if (error instanceof WorkspaceProblem && error.code === 'not_found') return null
    throw error
  }
}

/** Whether a path is a folder itself, and no link to one. */
async function isUnlinkedFolder(at: string): Promise<boolean> {
  return lstat(at).then(
    (state) => state.isDirectory(),
    () => false,
  )
}

/**
 * Creates the project's own missing folders, empty, so that the sandbox can prevent a command from
 * creating them (security.md 8). Otherwise the service would read the command's files in them while
 * the command still runs. If the service cannot create a folder, a command cannot either.
 */
async function makeOwnFolders(root: string, projectDir: string): Promise<void> {
  const at = path.relative(root, projectDir)
  const components = at === '' ? [] : at.split(path.sep)
  for (const name of foldersToKeep) {
    const folder = await openDirectory(plainWalk(root), [...components, name], true).catch(
      () => null,
    )
    await folder?.[Symbol.asyncDispose]()
  }
}
