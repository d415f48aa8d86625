import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { readPlain } from './tracked-paths.ts'

/**
 * The real folders that have Git's copies of the files in a folder: the objects and submodules of
 * each repository around it, up to `root`. Follows links and `.git` files, and runs no Git.
 */
export async function objectFoldersAround(root: string, folder: string): Promise<string[]> {
  const candidates: string[] = []
  for (let at = folder; at === root || at.startsWith(`${root}/`); at = path.dirname(at)) {
    const git = await gitFolderOf(path.join(at, '.git'))
    if (git === null) continue
    const common = (await textOf(path.join(git, 'commondir')))?.trim() ?? ''
    for (const each of new Set([git, path.resolve(git, common)])) {
      candidates.push(path.join(each, 'objects'), path.join(each, 'modules'))
    }
  }
  const folders = await Promise.all(candidates.map(realFolder))
  return folders.filter((at) => at !== null)
}

/** The folder itself, or the one that a `.git` file of a worktree or submodule names. */
async function gitFolderOf(git: string): Promise<string | null> {
  const folder = await realFolder(git)
  if (folder !== null) return folder
  const [, named] = /^gitdir: ([^\n]+)/.exec((await textOf(git)) ?? '') ?? []
  return named === undefined ? null : realFolder(path.resolve(path.dirname(git), named))
}

async function textOf(file: string): Promise<string | null> {
  return (await readPlain(file, 4096))?.bytes.toString('utf8') ?? null
}

async function realFolder(at: string): Promise<string | null> {
  const real = await realpath(at).catch(() => null)
  const isFolder = real !== null && (await stat(real).catch(() => null))?.isDirectory() === true
  return isFolder ? real : null
}
