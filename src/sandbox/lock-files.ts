import { errorCode } from '#domain/error-code.ts'
import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, open, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { asWorkspaceProblem } from './file-problem.ts'
import { identityOf } from './hidden-paths.ts'
import type { Directory } from './open-directory.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/** A lock file that does not change for this long belongs to a process that was killed. */
const abandonedAfterMs = 10_000
/** The interval of changes to a lock file of this process, whose work may take longer than that. */
const renewEveryMs = 2000
/** A change waits this long for a lock that is held, and is then refused. */
const maxWaitMs = 60_000
const lookEveryMs = 5

/** A name in an open folder; `at` is its path for sentences. */
export interface FilePlace {
  readonly directory: Directory
  readonly name: string
  readonly at: string
}

/** A lock file of this process. Its disposal removes it, and never that of a successor. */
interface LockFile extends AsyncDisposable {
  /** Throws code `stale` if another process took it for abandoned. */
  confirm(): Promise<void>
}

/**
 * Runs `work` while no other process of the service compares and changes these files: a file system
 * cannot rename a file only onto the content that was compared. The lock of a file is a second file
 * beside it, created exclusively, under a name that tools neither list nor open. Where no lock file
 * can be created, `work` runs without one, and its own writing fails with the reason. Where one is
 * held for too long, or could not be removed, it throws `WorkspaceProblem` before `work`. If this
 * process stands still in between, others take its locks for abandoned: `work` calls `confirmHeld`
 * right before it changes a file.
 */
export async function withLockedFiles<T>(
  places: readonly FilePlace[],
  work: (confirmHeld: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const locks = places.map(({ name, ...place }) => ({ ...place, name: lockName(name) }))
  // Every process takes locks in the same order, or two moves would wait for each other.
  const inOrder = new Map(locks.map((lock) => [`${lock.directory.identity}/${lock.name}`, lock]))
  const lockFiles: LockFile[] = []
  try {
    for (const [, place] of [...inOrder].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const { directory, name, at } = place
      const lock = directory.child(name)
      await requireRemovable(lock, at)
      const aside = directory.child(lockName(randomBytes(16).toString('hex')))
      const lockFile = await take(lock, aside, at)
      if (lockFile !== null) lockFiles.push(lockFile)
      await requireRemovable(lock, at)
    }
    return await work(async () => {
      for (const lockFile of lockFiles) await lockFile.confirm()
    })
  } finally {
    for (const lockFile of lockFiles) await lockFile[Symbol.asyncDispose]()
  }
}

function lockName(name: string): string {
  return `.countersign-${createHash('sha256').update(name).digest('hex').slice(0, 16)}.tmp`
}

/**
 * Throws `WorkspaceProblem` about `at` if this file of the service is there and cannot be removed,
 * because its folder is append-only. There `rmdir` is refused before the system sees that the file
 * is no folder. Elsewhere it does nothing to a file.
 */
export async function requireRemovable(file: string, at: string): Promise<void> {
  const state = await lstat(file).catch(() => null)
  // In a shared folder (mode 1777) nobody removes the file of another user.
  if (state?.isFile() !== true || state.uid !== process.geteuid?.()) return
  await rmdir(file).catch((error: unknown) => {
    if (errorCode(error) === 'EPERM') throw asWorkspaceProblem(error, at)
  })
}

/**
 * Creates the lock file and keeps it changing until it is disposed. `null`: it cannot be created,
 * or one of a killed process cannot be removed. Throws `WorkspaceProblem` if another process holds
 * it for too long: beside that one, a change could be lost.
 */
async function take(lock: string, aside: string, at: string): Promise<LockFile | null> {
  const begunMs = performance.now()
  let holder = { identity: '', sinceMs: begunMs }
  while (performance.now() - begunMs < maxWaitMs) {
    try {
      return keep(lock, at, await open(lock, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600))
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') return null
    }
    const identity = await identityAt(lock)
    if (identity !== holder.identity) holder = { identity, sinceMs: performance.now() }
    if (performance.now() - holder.sinceMs < abandonedAfterMs) await delay(lookEveryMs)
    else if (!(await removeAbandoned(lock, aside, identity))) return null
  }
  const sentence = 'has been in use by another process for a minute. Try again later.'
  throw new WorkspaceProblem('io', at, `${pathLabel(at)} ${sentence}`)
}

function keep(lock: string, at: string, handle: FileHandle): LockFile {
  const renewal = setInterval(() => {
    const now = new Date()
    handle.utimes(now, now).catch(() => undefined)
  }, renewEveryMs)
  const isHeld = async (): Promise<boolean> => {
    try {
      const own = identityOf(await handle.stat({ bigint: true }))
      return identityOf(await lstat(lock, { bigint: true })) === own
    } catch {
      return false
    }
  }
  return {
    async confirm() {
      if (await isHeld()) return
      const sentence = 'may have been changed while this process stood still.'
      throw new WorkspaceProblem('stale', at, `${pathLabel(at)} ${sentence}`)
    },
    async [Symbol.asyncDispose]() {
      clearInterval(renewal)
      const isOwn = await isHeld()
      await handle.close().catch(() => undefined)
      if (isOwn) await unlink(lock).catch(() => undefined)
    },
  }
}

async function identityAt(path: string): Promise<string> {
  const state = await lstat(path, { bigint: true }).catch(() => null)
  return state === null ? '' : `${state.ino}:${state.mtimeNs}`
}

/**
 * Removes a lock file that a killed process left. Another process may do the same at the same time:
 * a lock that somebody has created since the look is put back.
 */
async function removeAbandoned(lock: string, aside: string, identity: string): Promise<boolean> {
  try {
    await rename(lock, aside)
    if ((await identityAt(aside)) !== identity) await link(aside, lock).catch(() => undefined)
    await unlink(aside)
    return true
  } catch (error) {
    return errorCode(error) === 'ENOENT'
  }
}
