import { lstat, readdir } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import path from 'node:path'
import { identityOf } from '../hidden-paths.ts'

/** What policy says of a name, by its path relative to the workspace root. */
export interface NamedPaths {
  /** whether commands must not read this file, or look into this folder */
  secret(at: string, folder: boolean): boolean
  /**
   * `guarded`: what is there must stay as it is, and nothing may be made there. `pinned`: the same for the folder
   * itself, but not for all that is in it.
   */
  standing(at: string): 'guarded' | 'pinned' | null
}

/** What a look through the zones found. Paths are relative to the workspace root. */
export interface FoundNames {
  readonly secrets: readonly { readonly path: string; readonly folder: boolean }[]
  /** with `device:inode`; a link is never followed, and never mounted over */
  readonly guarded: ReadonlyMap<string, FoundName>
  /** sockets, pipes and devices: other programs of the host may listen there */
  readonly special: readonly string[]
}

export interface FoundName {
  readonly identity: string
  readonly link: boolean
  readonly pinned: boolean
}

/** More entries than a command's zones may have: looking through them would take longer than the command. */
const mostEntries = 500_000

/** There is too much to look through. The message is a sentence. */
export class TooManyEntries extends Error {
  override readonly name = 'TooManyEntries'
}

/**
 * Looks through folders for the names that commands must not read or change. `folders` are relative to `root`, and no
 * link is followed. `hidden` is an absolute path that is not entered.
 */
export async function lookForNames(
  root: string,
  folders: readonly string[],
  names: NamedPaths,
  hidden: string,
): Promise<FoundNames> {
  const secrets: { path: string; folder: boolean }[] = []
  const guarded = new Map<string, FoundName>()
  const special: string[] = []
  let looked = 0
  const waiting = [...folders]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entries = await entriesOf(path.join(root, at))
    looked += entries.length
    if (looked > mostEntries) {
      throw new TooManyEntries(
        `The worker's zones have more than ${mostEntries} files, which is more than a command may see: give it smaller zones.`,
      )
    }
    for (const entry of entries) {
      const below = at === '' ? entry.name : `${at}/${entry.name}`
      if (path.join(root, below) === hidden) continue
      const folder = entry.isDirectory()
      const standing = names.standing(below)
      if (standing !== null) {
        const found = await lstat(path.join(root, below), { bigint: true }).catch(() => null)
        if (found !== null) {
          const link = entry.isSymbolicLink()
          const pinned = standing === 'pinned' && folder
          guarded.set(below, { identity: identityOf(found), link, pinned })
        }
      }
      if (entry.isSymbolicLink()) continue
      if (names.secret(below, folder)) secrets.push({ path: below, folder })
      else if (folder) waiting.push(below)
      else if (!entry.isFile()) special.push(below)
    }
  }
  return { secrets, guarded, special }
}

/** A folder that is gone or may not be read has nothing that a command could find. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => [])
}
