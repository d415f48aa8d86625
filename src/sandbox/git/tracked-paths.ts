import { constants } from 'node:fs'
import { lstat, open, opendir, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Workspace } from '#domain/tools/workspace.ts'
import { readBytes } from '../open-file.ts'
import { nestedRepositoryMode, trackedModes } from './index-names.ts'

/** A larger index, or a folder with more entries, is not read. */
const maxIndexBytes = 64 * 1024 * 1024
const maxEntries = 2000
/** A tree with more entries is not searched for repositories. */
const maxTreeEntries = 100_000

interface Repository {
  readonly top: string
  readonly index: string
}

/**
 * Whether Git has a path below `root`: the file, or every file in the folder. `true` also where
 * nothing exists. Reads the index of the repository without running Git, whose settings may come
 * from an agent. An unreadable index counts as not tracking.
 */
export async function isTracked(root: string, relative: string): Promise<boolean> {
  const absolute = path.resolve(root, relative)
  if (absolute !== root && !absolute.startsWith(`${root}/`)) return false
  const stats = await lstat(absolute).catch(() => null)
  if (stats === null) return true
  const repository = await repositoryOf(absolute)
  const modes = repository === null ? null : await modesOf(repository.index)
  if (repository === null || modes === null) return false
  const nameOf = (file: string): string => path.relative(repository.top, file)
  if (!stats.isDirectory()) return modes.has(nameOf(absolute))
  return everyFile(absolute, (file) => modes.has(nameOf(file)))
}

/** Whether a folder is in a repository. */
export async function isInRepository(folder: string): Promise<boolean> {
  return (await repositoryOf(path.join(folder, 'file'))) !== null
}

/** What the index of the repository around a folder says of the files in it. */
export type FilesInGit = 'some' | 'none' | 'no index' | 'unreadable'

/**
 * Whether Git has files in a folder, by the index of the repository around it. `no index`: a
 * repository in which nothing was added yet, or whose index was removed.
 */
export async function filesInGit(folder: string): Promise<FilesInGit> {
  const repository = await repositoryOf(path.join(folder, 'file'))
  if (repository === null) return 'none'
  const modes = await modesOf(repository.index)
  if (modes === null) return whyNoModes(repository.index)
  const below = path.relative(repository.top, folder)
  const prefix = below === '' ? '' : `${below}/`
  return [...modes.keys()].some((name) => name.startsWith(prefix)) ? 'some' : 'none'
}

/**
 * Whether the repository around a folder of a workspace has repositories within it: in its index,
 * or in folders of the workspace, from which a command may add them (`git add`, or `git checkout`
 * of a commit that has them). `true` where that cannot be read, or there are too many files.
 */
export async function nestsRepositories(
  folder: string,
  { root, hidden }: Pick<Workspace, 'root' | 'hidden'>,
): Promise<boolean> {
  const repository = await repositoryOf(path.join(folder, 'file'))
  const modes = repository === null ? null : await modesOf(repository.index)
  if (modes !== null && [...modes.values()].includes(nestedRepositoryMode)) return true
  if (repository !== null && modes === null) {
    if ((await whyNoModes(repository.index)) === 'unreadable') return true
  }
  // Nothing above the root is in a command's sandbox.
  const top = repository?.top.startsWith(`${root}/`) === true ? repository.top : root
  return holdsRepository(top, new Set(hidden.map((at) => path.resolve(root, at))))
}

/** Whether a folder below `top` is a repository, apart from folders that commands do not see. */
async function holdsRepository(top: string, hidden: ReadonlySet<string>): Promise<boolean> {
  const folders = [top]
  let entries = 0
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const below = await readdir(next, { withFileTypes: true }).catch(ifAbsent)
    entries += below?.length ?? 0
    if (below === null || entries > maxTreeEntries) return true
    for (const entry of below) {
      const at = path.join(next, entry.name)
      if (entry.name.toLowerCase() === '.git') {
        if (next !== top) return true
      } else if (entry.isDirectory() && !hidden.has(at)) {
        // A name that is no UTF-8 cannot be followed.
        if (entry.name.includes('\uFFFD')) return true
        folders.push(at)
      }
    }
  }
  return false
}

function ifAbsent({ code }: NodeJS.ErrnoException): null | readonly never[] {
  return code === 'ENOENT' ? [] : null
}

async function whyNoModes(index: string): Promise<'no index' | 'unreadable'> {
  const stats = await lstat(index).catch((error: NodeJS.ErrnoException) => error)
  return 'code' in stats && stats.code === 'ENOENT' ? 'no index' : 'unreadable'
}

/** Whether the condition holds for all files of a folder; `false` when there are too many. */
async function everyFile(folder: string, isSo: (file: string) => boolean): Promise<boolean> {
  const folders = [folder]
  let entries = 0
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const directory = await opendir(next).catch(() => null)
    if (directory === null) return false
    for await (const entry of directory) {
      entries += 1
      if (entries > maxEntries || entry.name === '.git') return false
      const at = path.join(next, entry.name)
      if (entry.isDirectory()) folders.push(at)
      else if (!isSo(at)) return false
    }
  }
  return true
}

/** The repository of a path: the nearest folder above it with a `.git`. */
async function repositoryOf(absolute: string): Promise<Repository | null> {
  for (let folder = path.dirname(absolute); ; folder = path.dirname(folder)) {
    const git = path.join(folder, '.git')
    // Git follows a link there.
    const stats = await stat(git).catch(() => null)
    if (stats?.isDirectory() === true) return { top: folder, index: path.join(git, 'index') }
    if (stats?.isFile() === true && stats.size < 4096) {
      // A worktree: the file names the folder of its index.
      const text = (await readPlain(git, 4096))?.bytes.toString('utf8') ?? ''
      const [, at] = /^gitdir: ([^\n]+)/.exec(text) ?? []
      if (at !== undefined) return { top: folder, index: path.resolve(folder, at, 'index') }
    }
    if (folder === path.dirname(folder)) return null
  }
}

/** The last index that was read; a changed one is read again. */
let last: { readonly key: string; readonly modes: ReadonlyMap<string, number> | null } | null = null

async function modesOf(index: string): Promise<ReadonlyMap<string, number> | null> {
  const read = await readPlain(index, maxIndexBytes, last?.key)
  if (read === null) return null
  if (last === null || read.key !== last.key) {
    last = { key: read.key, modes: trackedModes(read.bytes) }
  }
  return last.modes
}

/**
 * The bytes of a regular file, none when it is still the one with `key`; `null` for anything else.
 * A command may put a link to a file of the system there, or a pipe, at any moment: reading one
 * could block.
 */
export async function readPlain(
  at: string,
  maxBytes: number,
  same?: string,
): Promise<{ readonly key: string; readonly bytes: Buffer } | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  await using handle = await open(at, flags).catch(() => null)
  if (handle === null) return null
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.size > maxBytes) return null
    const key = `${at} ${stats.ino} ${stats.size} ${stats.mtimeMs}`
    const bytes = key === same ? Buffer.alloc(0) : await readBytes(handle, 0, stats.size)
    return { key, bytes }
  } catch {
    return null
  }
}
