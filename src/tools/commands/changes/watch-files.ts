import type { BigIntStats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import type { ListedChanges } from '#domain/tools/file-change.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import type { SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import {
  beginChanging,
  readFilesRecord,
  readWritten,
  type FileEntry,
} from '#sandbox/worktrees/files-record.ts'
import { bytesOfName } from '#sandbox/names/raw-names.ts'
import { isChangedBelow } from '#sandbox/worktrees/is-changed-below.ts'
import { readBaseFiles } from '#sandbox/worktrees/read-base-files.ts'
import { readRecord } from '#sandbox/worktrees/worktree-record.ts'
import { differingPaths, isWritableIn } from './differing-paths.ts'
import { listDifferences, maxListed, type Difference, type PathState } from './list-differences.ts'

/** Of the files that are read after one command. */
const maxReadBytes = 64 * 1024 * 1024

/** The files of a worktree in which a command is about to begin. */
export interface WatchedFiles {
  /**
   * What the command did to files; `null`: not known, because others were at work too, or Git could
   * not report it. `plan`: what the command saw. Never rejects.
   */
  changes(plan: SandboxPlan, signal: AbortSignal): Promise<ListedChanges | null>
}

/**
 * Begins to watch the files of a run's worktree during one command. `isAlone`: whether no other
 * command is at work there. `null`: a folder that is not watched, since other runs and people
 * change it too.
 */
export async function watchFiles(
  sandbox: HostSandbox,
  workspace: Workspace,
  isAlone: () => Promise<boolean>,
): Promise<WatchedFiles | null> {
  const { root, worktree } = workspace
  if (worktree === undefined) return null
  const { folder } = worktree
  const call = await beginChanging(folder)
  const wasAloneAtStart = await isAlone()

  const changes: WatchedFiles['changes'] = async (plan, signal) => {
    // Git's rules for the whole tree lie in its top folder.
    if (!plan.zones.some((zone) => zone.path === root)) return null
    const pathObjects = await differingPaths(sandbox, plan, { root, worktree, signal })
    if (pathObjects === null) return null
    const entries = await readFilesRecord(folder)
    const written = await readWritten(folder)
    const read = readWithin(workspace)
    const now = new Map<string, FileEntry>()
    const differences: Difference[] = []
    for (const at of new Set([...pathObjects.keys(), ...entries.keys()])) {
      const entry = entries.get(at)
      if (!isWritableIn(plan, root, at)) {
        if (entry !== undefined) now.set(at, entry)
        continue
      }
      const state = await stateAt(root, at)
      const signature = state === null ? null : signatureOf(state)
      const base = pathObjects.get(at) ?? entry?.base ?? null
      const isSame = entry !== undefined && entry.signature === signature
      const after = isSame ? stateIn(entry) : await read(at, state)
      const differs = pathObjects.has(at) || (base === null && state !== null)
      if (differs) now.set(at, { signature, hash: after.kind === 'file' ? after.hash : null, base })
      if (isSame || !(await isSince(root, at, state, call.sinceNs))) continue
      const wrote = written.get(at)
      // A file tool wrote this state, so it is not a change of the command.
      if (wrote !== undefined && wrote === (after.kind === 'file' ? after.hash : null)) continue
      differences.push({ path: at, before: stateBefore(wrote, entry, base), after })
    }
    for (const at of await changedSubmodules(folder, root, plan, call.sinceNs)) {
      differences.push({ path: at, before: { kind: 'unread' }, after: { kind: 'unread' } })
    }
    const wasAlone = wasAloneAtStart && (await call.isAlone())
    await call.end(now)
    if (!wasAlone) return null
    const baseFiles = differences
      .flatMap(({ before, path }) =>
        before.kind === 'object' ? [{ path, object: before.object }] : [],
      )
      .slice(0, maxListed)
    return listDifferences(
      differences.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
      await readBaseFiles(folder, baseFiles),
    )
  }

  return { changes: (plan, signal) => changes(plan, signal).catch(() => null) }
}

/**
 * The paths of submodules that a command may write and in which something was changed since; Git
 * does not say what is in their folders.
 */
async function changedSubmodules(
  folder: string,
  root: string,
  plan: SandboxPlan,
  sinceNs: bigint,
): Promise<readonly string[]> {
  const record = await readRecord(folder)
  const paths: string[] = []
  for (const at of record?.submodules ?? []) {
    if (!isWritableIn(plan, root, at)) continue
    const top = path.join(root, at)
    const state = await lstat(top, { bigint: true }).catch(() => null)
    if ((await isSince(root, at, state, sinceNs)) || (await isChangedBelow(top, sinceNs))) {
      paths.push(at)
    }
  }
  return paths
}

/** What was at a path before: as a file tool left it, as it was found last, or as in the commit. */
function stateBefore(
  wrote: string | null | undefined,
  entry: FileEntry | undefined,
  base: string | null,
): PathState {
  if (wrote !== undefined)
    return wrote === null ? { kind: 'absent' } : { kind: 'file', hash: wrote }
  if (entry !== undefined) return stateIn(entry)
  return base === null ? { kind: 'absent' } : { kind: 'object', object: base }
}

function stateIn({ hash, signature }: FileEntry): PathState {
  if (signature === null) return { kind: 'absent' }
  return hash === null ? { kind: 'unread' } : { kind: 'file', hash }
}

/** Reads files without following links, as tools do, within the bounds of one command. */
function readWithin(workspace: Workspace) {
  let [files, bytesRead] = [0, 0]
  return async (at: string, state: BigIntStats | null): Promise<PathState> => {
    if (state === null) return { kind: 'absent' }
    const size = Number(state.size)
    const fits = size <= limits.writeBytes && bytesRead + size <= maxReadBytes
    if (!state.isFile() || files >= maxListed || !fits) return { kind: 'unread' }
    files += 1
    bytesRead += size
    const bytes = await workspace.read(at, { maxBytes: limits.writeBytes }).catch(() => null)
    return bytes === null ? { kind: 'unread' } : { kind: 'file', hash: hashBytes(bytes), bytes }
  }
}

/** `null`: no file is there. A folder is what Git calls a repository in it, with a slash. */
async function stateAt(root: string, at: string): Promise<BigIntStats | null> {
  const state = await lstat(bytesOfName(path.join(root, at)), { bigint: true }).catch(() => null)
  return state?.isDirectory() === true && !at.endsWith('/') ? null : state
}

function signatureOf({ ctimeNs, ino, mtimeNs, size }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(':')
}

/**
 * Whether a path was changed after a time of the file system: its file, or if the file is missing,
 * the folder that no longer contains it. No command can set these times.
 */
async function isSince(
  root: string,
  at: string,
  state: BigIntStats | null,
  sinceNs: bigint,
): Promise<boolean> {
  if (state !== null) return state.ctimeNs >= sinceNs
  for (let folder = path.dirname(at); ; folder = path.dirname(folder)) {
    const holder = await lstat(bytesOfName(path.join(root, folder)), { bigint: true }).catch(
      () => null,
    )
    if (holder !== null) return holder.ctimeNs >= sinceNs
    if (folder === '.') return false
  }
}
