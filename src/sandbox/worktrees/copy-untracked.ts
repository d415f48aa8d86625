import { errorCode } from '#domain/error-code.ts'
import { constants, type Stats } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, open, readdir, readlink, symlink } from 'node:fs/promises'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { asWorkspaceProblem } from '../file-problem.ts'
import {
  openChild,
  openDirectory,
  plainWalk,
  platformNaming,
  type Directory,
} from '../open-directory.ts'
import { hiddenPaths } from '../hidden-paths.ts'
import { foldPathName } from '../names/path-names.ts'
import { bytesOfName, quotedName, textOfName } from '../names/raw-names.ts'
import { packagesOfService } from './packages-of-service.ts'

const { COPYFILE_EXCL, COPYFILE_FICLONE, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** The most that is copied into one worktree. */
export const copyLimits = { entries: 300_000, bytes: 8 * 1024 ** 3 }

const filesAtOnce = 16

export interface CopyToMake {
  /** the folder of the workspace */
  readonly root: string
  /** the files of the new worktree, in which no command has run yet */
  readonly tree: string
  /** relative to both; components joined by `/` */
  readonly paths: readonly string[]
  /** never copied, wherever it lies */
  readonly dataDir: string
  readonly limits: typeof copyLimits
}

/**
 * Copies files that no commit has, such as installed dependencies, from the folder of a workspace
 * into a new worktree, and returns the paths that were copied. A path that the folder does not
 * have, or that the commit has, is left out. Links are copied as links and never followed. Folders
 * called `.git`, the data folder, sockets, pipes and devices are left out, and in `node_modules`
 * what only the service needs. The bytes are the copy's own, or shared by the file system until one
 * side is written: never by a hard link, through which a run would write the folder. Rejects with
 * `WorkspaceProblem`, `too_large` above the limits.
 */
export async function copyUntracked(copy: CopyToMake): Promise<readonly string[]> {
  const hidden = await hiddenPaths(copy.root, [copy.dataDir]).identities()
  const job = new CopyJob(copy.limits, hidden)
  const copied: string[] = []
  for (const at of copy.paths) {
    const parents = at.split('/')
    const name = parents.pop() ?? ''
    await using source = await openIfThere(copy.root, parents)
    await using target = await openIfThere(copy.tree, parents)
    if (source === null || target === null) continue
    if ((await stateOf(target, name)) !== null || (await stateOf(source, name)) === null) continue
    if (name === 'node_modules') job.leaveOut(await ofService(source, name), parents)
    await job.copy(source, target, name, at)
    copied.push(at)
  }
  return copied
}

class CopyJob {
  readonly #limits: typeof copyLimits
  readonly #hidden: ReadonlySet<string>
  readonly #omitted = new Set<string>()
  #entries = 0
  #bytes = 0

  constructor(limits: typeof copyLimits, hidden: ReadonlySet<string>) {
    this.#limits = limits
    this.#hidden = hidden
  }

  /** `paths` are relative to `folder`. */
  leaveOut(paths: ReadonlySet<string>, folder: readonly string[]): void {
    for (const at of paths) this.#omitted.add([...folder, at].join('/'))
  }

  /** Copies what a name in an open folder is. `at`: its path. */
  async copy(source: Directory, target: Directory, name: string, at: string): Promise<void> {
    if (foldPathName(name) === '.git' || this.#omitted.has(at)) return
    const to = bytesOfName(target.child(name))
    try {
      const stats = await lstat(bytesOfName(source.child(name)))
      this.#count(stats, at)
      if (stats.isSymbolicLink()) {
        await symlink(await readlink(bytesOfName(source.child(name)), 'buffer'), to)
      } else if (stats.isDirectory()) await this.#copyFolder(source, target, name, at)
      else if (stats.isFile()) await copyPlainFile(source, name, to)
    } catch (error) {
      throw asWorkspaceProblem(error, at)
    }
  }

  async #copyFolder(source: Directory, target: Directory, name: string, at: string): Promise<void> {
    await using from = await openChild(source, name)
    if (this.#hidden.has(from.identity)) return
    const { mode } = await from.handle.stat()
    await mkdir(bytesOfName(target.child(name)), { mode: (mode & 0o777) | 0o700 })
    await using into = await openChild(target, name)
    const entries = await readdir(bytesOfName(from.child('.')), {
      encoding: 'buffer',
      withFileTypes: true,
    })
    const [folders, others] = [
      entries.filter((entry) => entry.isDirectory()),
      entries.filter((entry) => !entry.isDirectory()),
    ]
    const copyOne = async (entry: (typeof entries)[number]): Promise<void> => {
      const child = textOfName(entry.name)
      await this.copy(from, into, child, `${at}/${child}`)
    }
    for (let start = 0; start < others.length; start += filesAtOnce) {
      await Promise.all(others.slice(start, start + filesAtOnce).map(copyOne))
    }
    for (const entry of folders) await copyOne(entry)
  }

  #count(stats: Stats, at: string): void {
    this.#entries += 1
    if (stats.isFile()) this.#bytes += stats.size
    const { entries, bytes } = this.#limits
    if (this.#entries <= entries && this.#bytes <= bytes) return
    const limit = `more than ${entries} files or ${bytes} bytes, the most in one worktree`
    throw new WorkspaceProblem(
      'too_large',
      at,
      `"copy" of countersign.yaml names ${limit}; the copy ended at ${quotedName(at)}.`,
    )
  }
}

async function ofService(project: Directory, name: string): Promise<ReadonlySet<string>> {
  await using installed = await openChild(project, name).catch(() => null)
  return installed === null ? new Set() : await packagesOfService(project, installed)
}

/** Copies the file that is open, whatever its name leads to by then, with its rights. */
async function copyPlainFile(source: Directory, name: string, to: Buffer): Promise<void> {
  const from = bytesOfName(source.child(name))
  await using handle = await open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stats = await handle.stat()
  if (!stats.isFile()) return
  const byDescriptor = platformNaming === 'descriptor' ? `/proc/self/fd/${handle.fd}` : from
  await copyFile(byDescriptor, to, COPYFILE_EXCL | COPYFILE_FICLONE)
  if ((stats.mode & 0o7000) !== 0) await chmod(to, stats.mode & 0o777)
}

/** `null`: there is no such folder, or a link on the way. */
async function openIfThere(root: string, components: readonly string[]): Promise<Directory | null> {
  try {
    return await openDirectory(plainWalk(root), components, false)
  } catch (error) {
    const missing = ['not_found', 'is_a_link', 'not_a_directory']
    if (error instanceof WorkspaceProblem && missing.includes(error.code)) return null
    throw error
  }
}

async function stateOf(folder: Directory, name: string): Promise<Stats | null> {
  return lstat(bytesOfName(folder.child(name))).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
}
