import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import { identityOf } from '#sandbox/hidden-paths.ts'
import { openDirectory, plainWalk } from '#sandbox/open-directory.ts'
import type { ZoneNames } from '#sandbox/bwrap/names/look-for-names.ts'
import type { MountedZone, SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { foldersToKeep } from '#policy/names/own-files.ts'
import type { CommandPlace } from './command-place.ts'
import { lookInThread, undoInThread } from './look-in-thread.ts'
import type { ZonesToLook } from './look-protocol.ts'

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
 * the data folder, keys and other programs' sockets, and with unchangeable protected names
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
  const zones: (MountedZone & { readonly at: string })[] = []
  const missing: string[] = []
  for (const { mode, root: at } of rootsOf(place, workspace)) {
    const state = await workspace.state(at)
    if (state.kind === 'absent') {
      missing.push(at)
      continue
    }
    const real = path.join(root, at)
    if (state.kind !== 'directory') throw new ToolProblem(`The zone ${at} is not a folder.`)
    zones.push({ at, path: real, mode, identity: identityOf(await lstat(real, { bigint: true })) })
  }
  const outermost = zones.filter(
    (zone) => !zones.some((other) => other !== zone && containsPath(other.at, zone.at)),
  )
  const folders = outermost.map(({ at }) => at)
  const isWritable = (at: string): boolean => {
    const holding = zones.filter((zone) => containsPath(zone.at, at))
    return holding.toSorted((left, right) => right.at.length - left.at.length)[0]?.mode === 'rw'
  }
  const { policy, projectDir, worker } = place
  const toLook: ZonesToLook = {
    root,
    folders,
    zones: zones.map((zone) => ({ at: zone.at, mode: zone.mode })),
    missing,
    hidden: place.dataDir,
    mountsWhole: place.sandbox.works,
    names: {
      policy: {
        config: {
          workspaces: policy.config.workspaces,
          ...(policy.config.workspace === undefined ? {} : { workspace: policy.config.workspace }),
        },
        workers: new Map([...policy.workers].map(([name, { model }]) => [name, { model }])),
        toolFiles: policy.toolFiles.map((file) => ({ path: file.path })),
      },
      projectDir,
      worker: { zones: worker.zones },
    },
    allowed,
    sinceMs: null,
  }
  const project = path.relative(root, place.projectDir)
  const isInZone = folders.some((folder) => containsPath(folder, project))
  if (bounded && !project.startsWith('..') && isInZone && isWritable(project)) {
    await makeOwnFolders(root, place.projectDir)
  }
  const sinceMs = Date.now()
  const before = await lookInThread(toLook, bounded)
  const at = (below: string): string => path.join(root, below)
  const mounted = [...before.guarded].filter(([, { link }]) => !link)
  const covered = before.secrets.filter(({ folder }) => !folder).map((secret) => secret.path)
  const emptied = before.secrets.filter(({ folder }) => folder).map((secret) => at(secret.path))
  const data = path.relative(root, place.dataDir)
  const inZone = !data.startsWith('..') && folders.some((folder) => containsPath(folder, data))
  if (inZone && (await isFolder(place.dataDir))) emptied.push(place.dataDir)
  const here = at(cwd)
  const isEmptied = emptied.some((folder) => containsPath(folder, here))
  const standsBelow = (path: string): boolean => covered.includes(path)
  return {
    plan: {
      zones,
      pinned: mounted.filter(([, { pinned }]) => pinned).map(([name]) => at(name)),
      readOnly: mounted
        .filter(([name, { pinned }]) => !pinned && !standsBelow(name))
        .map(([name]) => at(name)),
      covered: [...covered, ...before.special].map(at),
      emptied,
      parents: new Map(before.secrets.map((secret) => [at(secret.path), secret.parent])),
      ...(folders.includes('') && workspace.worktree !== undefined
        ? { shared: workspace.worktree.objectStores }
        : {}),
      copies: [],
      cwd: here,
      cwdIdentity: isEmptied ? null : await identityOfFolder(root, cwd),
    },
    before,
    undo: (was, untilMs = Number.POSITIVE_INFINITY) =>
      undoInThread({ ...toLook, sinceMs }, was, untilMs),
  }
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

async function isFolder(at: string): Promise<boolean> {
  return lstat(at).then(
    (state) => state.isDirectory(),
    () => false,
  )
}

/**
 * The zones, and the Git folder of a worktree, which is the run's own: it may commit what it may
 * write.
 */
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

/**
 * Creates the project's own missing folders, empty, so that the sandbox can prevent a command from
 * creating them (security.md 8): the service would read files in them while the command still runs.
 * A command cannot create a folder that the service cannot.
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
