import { randomBytes } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { CopiedFile, Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { identityOf } from '../hidden-paths.ts'

/** A file that was copied for a command: no other process can write to the copy. */
export interface Snapshot extends CopiedFile {
  /** relative to the workspace root */
  readonly at: string
  /** absolute path of the copy */
  readonly from: string
}

/** Bounds of the copies for one command; a larger file is only hashed. */
export const snapshotLimits = {
  fileBytes: 256 * 1024 * 1024,
  allBytes: 1024 * 1024 * 1024,
  files: 500,
} as const

/** A command takes an hour at most; an older folder was left by a killed process. */
const abandonedAfterMs = 3 * 60 * 60 * 1000

/**
 * Copies of the files that one command names, in a folder of the data folder that is removed with
 * it (security.md 28).
 */
export class Snapshots implements AsyncDisposable {
  /** absolute; only this service can read and write in it */
  readonly folder: string
  readonly #copies = new Map<string, Snapshot>()
  #left: number = snapshotLimits.allBytes

  private constructor(folder: string) {
    this.folder = folder
  }

  static async open(dataDir: string): Promise<Snapshots> {
    return new Snapshots(await makeCopiesFolder(dataDir))
  }

  /**
   * `null`: it is too large to copy, or there are too many. Rejects with `WorkspaceProblem` as
   * `Workspace.copy`.
   */
  async take(workspace: Workspace, at: string): Promise<Snapshot | null> {
    if (this.#copies.size >= snapshotLimits.files) return null
    const from = path.join(this.folder, String(this.#copies.size))
    const maxBytes = Math.min(snapshotLimits.fileBytes, this.#left)
    try {
      const copied = await workspace.copy(at, from, { maxBytes })
      // An executable file is executable in the sandbox too, and can be changed there only where it
      // is mounted so.
      await chmod(from, copied.mode | 0o600)
      const snapshot = { ...copied, at, from }
      this.#left -= copied.bytes
      this.#copies.set(at, snapshot)
      return snapshot
    } catch (error) {
      await rm(from, { force: true })
      if (error instanceof WorkspaceProblem && error.code === 'too_large') return null
      throw error
    }
  }

  get(at: string): Snapshot | undefined {
    return this.#copies.get(at)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What cannot be removed is swept later: it must not hide how the command ended.
    await rm(this.folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/**
 * Makes a folder for copies in the data folder, and removes those that were left hours ago. A
 * sandbox that has mounted a copy keeps it after that.
 */
export async function makeCopiesFolder(dataDir: string): Promise<string> {
  const parent = path.join(dataDir, 'snapshots')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  await sweep(parent)
  const folder = path.join(parent, randomBytes(16).toString('hex'))
  await mkdir(folder, { mode: 0o700 })
  return folder
}

/** `device:inode`, by which the sandbox checks the mounted copy. */
export async function identityAt(copy: string): Promise<string> {
  return identityOf(await lstat(copy, { bigint: true }))
}

/** The present contents of the copy, and whether it is executable. */
export async function readCopy({
  from,
}: Snapshot): Promise<{ readonly bytes: Uint8Array; readonly mode: number }> {
  const { mode } = await stat(from)
  return { bytes: await readFile(from), mode: mode & 0o777 }
}

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const at = path.join(parent, name)
    const state = await lstat(at).catch(() => null)
    if (state === null || Date.now() - state.mtimeMs < abandonedAfterMs) continue
    // What cannot be removed must not keep a command from beginning.
    await rm(at, { recursive: true, force: true }).catch(() => undefined)
  }
}
