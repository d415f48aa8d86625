import { lstat, opendir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { trackedNames } from './index-names.ts'

/** A larger index is not read; nor are more entries of a folder. */
const maxIndexBytes = 64 * 1024 * 1024
const maxEntries = 2000

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
  const found = await lstat(absolute).catch(() => null)
  if (found === null) return true
  const repository = await repositoryOf(absolute)
  const names = repository === null ? null : await namesOf(repository.index)
  if (repository === null || names === null) return false
  const nameOf = (file: string): string => path.relative(repository.top, file)
  if (!found.isDirectory()) return names.has(nameOf(absolute))
  return everyFile(absolute, (file) => names.has(nameOf(file)))
}

/**
 * Whether the index of the repository around a folder lists files in it; `true` for an index that
 * cannot be read.
 */
export async function hasTrackedFiles(folder: string): Promise<boolean> {
  const repository = await repositoryOf(path.join(folder, 'file'))
  if (repository === null) return false
  const names = await namesOf(repository.index)
  if (names === null) return true
  const below = path.relative(repository.top, folder)
  const prefix = below === '' ? '' : `${below}/`
  return [...names].some((name) => name.startsWith(prefix))
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
    const found = await lstat(git).catch(() => null)
    if (found?.isDirectory() === true) return { top: folder, index: path.join(git, 'index') }
    if (found?.isFile() === true && found.size < 4096) {
      // A worktree: the file names the folder of its index.
      const [, at] = /^gitdir: ([^\n]+)/.exec(await readFile(git, 'utf8')) ?? []
      if (at !== undefined) return { top: folder, index: path.resolve(folder, at, 'index') }
    }
    if (folder === path.dirname(folder)) return null
  }
}

/** The last index that was read; a changed one is read again. */
let last: { readonly key: string; readonly names: ReadonlySet<string> | null } | null = null

async function namesOf(index: string): Promise<ReadonlySet<string> | null> {
  const found = await stat(index).catch(() => null)
  if (found === null || !found.isFile() || found.size > maxIndexBytes) return null
  const key = `${index} ${found.ino} ${found.size} ${found.mtimeMs}`
  if (last?.key === key) return last.names
  const bytes = await readFile(index).catch(() => null)
  const names = bytes === null ? null : trackedNames(bytes)
  last = { key, names }
  return names
}
