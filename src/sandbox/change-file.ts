import { errorCode } from '#domain/error-code.ts'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { UncertainChange } from '#domain/tools/uncertain-change.ts'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { asWorkspaceProblem } from './file-problem.ts'
import { identityOf, isUnfinishedWrite } from './hidden-paths.ts'
import type { Directory } from './open-directory.ts'
import { requireRemovable, withLockedFiles, type FilePlace } from './lock-files.ts'
import { hashFile, openFile, stateOf } from './open-file.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
const abandonedAfterMs = 10 * 60_000

/** Throws code `stale` unless the place has exactly the expected content: a hash, or nothing. */
async function requireBase(place: FilePlace, expected: string): Promise<void> {
  const { directory, name, at } = place
  const state = await stateOf(directory, name, at)
  if (state.kind === 'absent' && expected === 'absent') return
  if (state.kind !== 'file' || expected === 'absent') throw stale(at)
  await using handle = await openFile(directory, name, at)
  if ((await hashFile(handle, at)) !== expected) throw stale(at)
}

/**
 * Replaces or creates a file: writes an exclusive temporary file in the same folder, flushes it,
 * checks `confirm`, the base and its lock, renames it, or links it where nothing may exist, and
 * flushes the folder. A hard link is thereby broken, never written through. The lock comes first:
 * where it is refused because nothing can be removed, no temporary file stays.
 */
export async function replaceFile(
  place: FilePlace,
  bytes: Uint8Array,
  expected: string,
  confirm: () => Promise<void>,
): Promise<void> {
  const { directory, name, at } = place
  const target = directory.child(name)
  const temporary = directory.child(`.countersign-${randomBytes(8).toString('hex')}.tmp`)
  try {
    await withLockedFiles([place], async (confirmHeld) => {
      await writeTemporary(place, temporary, bytes)
      await confirm()
      await requireBase(place, expected)
      await confirmHeld()
      if (expected === 'absent') await renameToAbsent(temporary, target)
      else await rename(temporary, target)
    })
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw asWorkspaceProblem(error, at)
  }
  await flushFolders(at, directory)
}

/**
 * Writes and flushes a temporary file for the place. It gets the mode and, if possible, owner and
 * access list of a file that is there.
 */
async function writeTemporary(
  { directory, name, at }: FilePlace,
  temporary: string,
  bytes: Uint8Array,
): Promise<void> {
  const before = await lstat(directory.child(name)).catch(() => null)
  const replaces = before?.isFile() === true
  // Only the owner can read the new bytes until the file has the rights of the one that it
  // replaces.
  const mode = replaces ? 0o600 : 0o666
  await using handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  await handle.writeFile(bytes)
  if (replaces) {
    const created = await handle.stat()
    if (created.uid !== before.uid || created.gid !== before.gid) {
      await handle.chown(before.uid, before.gid).catch(() => undefined)
    }
    // Only group bits can be the mask of a list. `cp` would copy a set-user-id bit, too.
    // The list comes before the mode, so that the group never has access in between.
    if ((before.mode & 0o070) !== 0 && (before.mode & 0o7000) === 0) {
      await using old = await openFile(directory, name, at)
      await copyAccessList(old, handle)
    }
    await handle.chmod(before.mode & 0o777)
  }
  await handle.sync()
}

/** Removes a regular file with the expected bytes; other links to it stay. */
export async function removeFile(
  place: FilePlace,
  expected: string,
  confirm: () => Promise<void>,
): Promise<void> {
  try {
    await withLockedFiles([place], async (confirmHeld) => {
      await confirm()
      await requireBase(place, expected)
      await confirmHeld()
      await unlink(place.directory.child(place.name))
    })
  } catch (error) {
    throw asWorkspaceProblem(error, place.at)
  }
  await flushFolders(place.at, place.directory)
}

/**
 * Moves a regular file; both ends are compared first. Both folders are flushed, the new name before
 * the old one.
 */
export async function moveFile(
  from: FilePlace,
  to: FilePlace,
  expected: { readonly from: string; readonly to: string },
  confirm: () => Promise<void>,
): Promise<void> {
  try {
    await withLockedFiles([from, to], async (confirmHeld) => {
      await confirm()
      await requireBase(from, expected.from)
      await requireBase(to, expected.to)
      await confirmHeld()
      const [source, target] = [from.directory.child(from.name), to.directory.child(to.name)]
      if (expected.to === 'absent') await renameToAbsent(source, target)
      else await rename(source, target)
    })
  } catch (error) {
    throw asWorkspaceProblem(error, to.at)
  }
  await flushFolders(to.at, to.directory, from.directory)
}

/** What file systems answer that cannot flush a folder. */
const cannotFlush: ReadonlySet<string | null> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'])

/**
 * Puts the changed names of folders on the disk. A failure is no refusal of the workspace, which
 * would say that nothing was done: the change was made, and nobody knows whether it stays.
 */
async function flushFolders(at: string, ...directories: readonly Directory[]): Promise<void> {
  for (const { handle } of directories) {
    try {
      await handle.sync()
    } catch (error) {
      if (cannotFlush.has(errorCode(error))) continue
      const what = `${pathLabel(at)} was changed, and may not stay so`
      throw new UncertainChange(what, { cause: error })
    }
  }
}

/**
 * Removes temporary files of killed writes in the folder of a place, once they are too old to be in
 * use. Throws `WorkspaceProblem` about the place if they can never be removed.
 */
export async function sweepAbandoned({ directory, at }: FilePlace): Promise<void> {
  for (const name of await readdir(directory.child('.'))) {
    if (!isUnfinishedWrite(name)) continue
    await requireRemovable(directory.child(name), at)
    const state = await lstat(directory.child(name)).catch(() => null)
    if (state?.isFile() !== true || Date.now() - state.mtimeMs < abandonedAfterMs) continue
    await unlink(directory.child(name)).catch(() => undefined)
  }
}

/**
 * `link` refuses an existing name and `rename` replaces it: nothing new is lost. Where the old name
 * cannot be removed (the folder is append-only, or another user's), the new one goes again.
 */
async function renameToAbsent(source: string, target: string): Promise<void> {
  try {
    await link(source, target)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error) ?? '')) {
      throw error
    }
    await rename(source, target)
    return
  }
  try {
    await unlink(source)
  } catch (error) {
    // Somebody else has removed it: the new name may be the only one of the file.
    if (errorCode(error) === 'ENOENT') return
    const isBack = await removeSecondName(source, target).catch(() => false)
    if (!isBack) throw new Error('a file may have its old and its new name', { cause: error })
    throw error
  }
}

/** False: the two are not names of one file, because somebody has replaced one. */
async function removeSecondName(source: string, target: string): Promise<boolean> {
  const old = identityOf(await lstat(source, { bigint: true }))
  if (identityOf(await lstat(target, { bigint: true })) !== old) return false
  await unlink(target)
  return true
}

function stale(at: string): WorkspaceProblem {
  return new WorkspaceProblem('stale', at, `${pathLabel(at)} has changed since it was looked at.`)
}

/** Of the system's own folder: no PATH decides which program this is. */
const copier = '/bin/cp'
const words = ['--attributes-only', '--preserve=mode', '--', '/proc/self/fd/3', '/proc/self/fd/4']

/**
 * Gives an open file the mode of another one with its access list (ACL), as `cp` does: Node has no
 * call for it. The group bits of a file with a list are the list's mask, so that the mode alone
 * would give the owning group access that the list does not. Where `cp` does not know how, or the
 * file system has no lists, nothing is changed.
 */
async function copyAccessList(from: FileHandle, to: FileHandle): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const child = spawn(copier, words, {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', from.fd, to.fd],
    timeout: 10_000,
  })
  child.once('error', () => resolve())
  child.once('close', () => resolve())
  await promise
}
