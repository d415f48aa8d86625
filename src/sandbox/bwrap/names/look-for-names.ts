import { lstatSync, readdirSync, type BigIntStats, type Dirent } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { identityOf } from '../../hidden-paths.ts'
import {
  openChildToSearch,
  openDirectory,
  plainWalk,
  type SearchedFolder,
} from '../../open-directory.ts'
import { openFile, readBytes } from '../../open-file.ts'
import { bytesOfName, textOfName } from '../../names/raw-names.ts'

/**
 * `guarded`: its contents must not change, and nothing may be created there. `pinned`: the same for
 * the folder itself, but not for everything in it. `script`: guarded when its text runs a program.
 */
export type NameGuard = 'guarded' | 'pinned' | 'script'

/** The rules of policy for a name, by its path relative to the workspace root. */
export interface NameRules {
  /** whether commands must not read this file, or look into this folder */
  secret(at: string, folder: boolean): boolean
  guardOf(at: string): NameGuard | null
  /** whether a folder with these names counts as a repository, for its other names */
  isRepository(names: ReadonlySet<string>): boolean
  /** the guard of a name right below such a folder */
  inRepository(name: string): 'guarded' | null
  /** whether the text of a `script` runs a program */
  runsProgram(text: string): boolean
}

/**
 * The result of a search of the zones. Paths are relative to the workspace root, in the form of
 * `textOfName`.
 */
export interface ZoneNames {
  readonly secrets: readonly {
    readonly path: string
    readonly folder: boolean
    /** `device:inode` of the folder that has it */
    readonly parent: string
  }[]
  /** a link is never followed, and never mounted over */
  readonly guarded: ReadonlyMap<string, GuardedName>
  /** sockets, pipes and devices: other programs of the host may use them */
  readonly special: readonly string[]
  /** folders that may not be read, or are too deep: their contents are unknown */
  readonly closed: readonly string[]
  /** regular files with a set-user-id or set-group-id bit that changed since `setIdSinceMs` */
  readonly setId: readonly { readonly path: string; readonly identity: string }[]
}

export interface GuardedName {
  /** see `guardedIdentity` */
  readonly identity: string
  readonly link: boolean
  readonly pinned: boolean
  /** a folder that the sandbox mounts read-only, with all that is in it */
  readonly whole: boolean
  /** when its name, rights or bytes were changed last, as the kernel says; milliseconds */
  readonly changedMs: number
}

/** The most entries of a command's zones: searching more would take longer than the command. */
const maxEntries = 500_000
/** The deepest nesting of folders: each is open while its contents are searched. */
const maxDepth = 400
const maxScriptBytes = 1024 * 1024
/** After so many folders the search lets other work of the thread run, and receives messages. */
const foldersAtOnce = 50
export const setIdBits = 0o6000
/** The clock of a file system is a tick behind. */
const tickMs = 20

/** There is too much to search. The message is a sentence. */
export class TooManyEntries extends Error {
  override readonly name = 'TooManyEntries'
}

export interface NameSearch {
  readonly root: string
  /** relative to `root` */
  readonly folders: readonly string[]
  readonly names: NameRules
  /** whether a command may write there; guarded and changed names count nowhere else */
  isWritable(at: string): boolean
  /**
   * whether a guarded folder there is mounted read-only: its contents are then not guarded one by
   * one, and not searched after a command, because the command could change nothing in it
   */
  isMountedWhole(at: string): boolean
  /** an absolute path that is not entered */
  readonly hidden: string
  /** a search after a command has no bound: nothing that it created may hide behind many others */
  readonly bounded: boolean
  /**
   * when the command began after which this is the search; `null`: it has not begun, and no file
   * with a set-user-id or set-group-id bit is searched, which reads every file's metadata
   */
  readonly setIdSinceMs: number | null
  /** ends the search: it rejects with the signal's reason */
  readonly signal: AbortSignal | null
}

/**
 * Searches folders for the names that commands must not read or change. Each folder is open while
 * its contents are searched, so that a rename cannot lead elsewhere; no link is followed.
 */
export async function lookForNames(search: NameSearch): Promise<ZoneNames> {
  const names = new SearchOfNames(search)
  for (const at of search.folders) {
    const components = at === '' ? [] : at.split('/')
    const folder = await openDirectory(plainWalk(search.root), components, false).catch(() => null)
    // A command finds nothing in a missing zone.
    if (folder === null) continue
    await using open = folder
    await names.visit(open, { at, depth: 0, isWhole: false })
  }
  return names.result
}

/** A folder of the search. `isWhole`: it is mounted read-only, with all that is in it. */
interface Place {
  readonly at: string
  readonly depth: number
  readonly isWhole: boolean
}

class SearchOfNames {
  readonly result = {
    secrets: [] as { path: string; folder: boolean; parent: string }[],
    guarded: new Map<string, GuardedName>(),
    special: [] as string[],
    closed: [] as string[],
    setId: [] as { path: string; identity: string }[],
  }
  readonly #search: NameSearch
  readonly #hidden: string
  #entryCount = 0
  #folderCount = 0

  constructor(search: NameSearch) {
    this.#search = search
    this.#hidden = path.relative(search.root, search.hidden)
  }

  async visit(folder: NamedFolder, { at, depth, isWhole }: Place): Promise<void> {
    const { names, signal, setIdSinceMs } = this.#search
    this.#folderCount += 1
    if (this.#folderCount % foldersAtOnce === 0) await setImmediate()
    const entries = entriesOf(folder)
    if (entries === null) {
      this.result.closed.push(at)
      return
    }
    this.#countEntries(entries.length)
    const inside = !isWhole && names.isRepository(new Set(entries.map(({ name }) => name)))
    for (const entry of entries) {
      signal?.throwIfAborted()
      const below = at === '' ? entry.name : `${at}/${entry.name}`
      if (below === this.#hidden) continue
      const isGuarded = isWhole || (await this.#addGuard(folder, below, entry, inside))
      if (entry.kind === 'link') continue
      if (entry.kind === 'file' && setIdSinceMs !== null) {
        this.#addSetId(folder, below, entry.name, setIdSinceMs)
      }
      const isFolder = entry.kind === 'folder'
      if (names.secret(below, isFolder)) {
        this.result.secrets.push({ path: below, folder: isFolder, parent: folder.identity })
      } else if (entry.kind === 'other') this.result.special.push(below)
      else if (isFolder && !(isGuarded && setIdSinceMs !== null)) {
        await this.#enter(folder, entry.name, { at: below, depth, isWhole: isGuarded })
      }
    }
  }

  #countEntries(count: number): void {
    this.#entryCount += count
    if (!this.#search.bounded || this.#entryCount <= maxEntries) return
    throw new TooManyEntries(
      `The worker's zones have more than ${maxEntries} files, which is more than a command may see: give it smaller zones.`,
    )
  }

  async #enter(parent: NamedFolder, name: string, place: Place): Promise<void> {
    using folder = place.depth >= maxDepth ? null : openChildToSearch(parent, name)
    if (folder === null) this.result.closed.push(place.at)
    else await this.visit(folder, { ...place, depth: place.depth + 1 })
  }

  /** Returns whether it is a folder that is mounted read-only with all that is in it. */
  async #addGuard(
    folder: NamedFolder,
    at: string,
    { kind, name }: Entry,
    inside: boolean,
  ): Promise<boolean> {
    const { names } = this.#search
    const guard = names.guardOf(at) ?? (inside ? names.inRepository(name) : null)
    if (guard === null || !this.#search.isWritable(at)) return false
    if (guard === 'script' && !(await this.#runsProgram(folder, name, at))) return false
    const state = stateOrNull(folder.child(name))
    if (state === null) return false
    const pinned = guard === 'pinned' && kind === 'folder'
    const isFolder = kind === 'folder' && state.isDirectory()
    const whole = isFolder && !pinned && this.#search.isMountedWhole(at)
    this.result.guarded.set(at, {
      identity: guardedIdentity(state, whole),
      link: kind === 'link',
      pinned,
      whole,
      changedMs: Number(state.ctimeMs),
    })
    return whole
  }

  #addSetId(folder: NamedFolder, at: string, name: string, sinceMs: number): void {
    if (!this.#search.isWritable(at)) return
    const state = stateOrNull(folder.child(name))
    if (state === null || (Number(state.mode) & setIdBits) === 0 || !state.isFile()) return
    if (Number(state.ctimeMs) < sinceMs - tickMs) return
    this.result.setId.push({ path: at, identity: identityOf(state) })
  }

  async #runsProgram(folder: NamedFolder, name: string, at: string): Promise<boolean> {
    await using handle = await openFile(folder, name, at).catch(() => null)
    // Content that is not a file, or cannot be read, counts as running a program.
    if (handle === null) return true
    const bytes = await readBytes(handle, 0, maxScriptBytes + 1)
    return bytes.length > maxScriptBytes || this.#search.names.runsProgram(bytes.toString('latin1'))
  }
}

/**
 * `device:inode`, and for a folder that is mounted whole also the time of its birth. Otherwise
 * another folder with the same inode, made later, would not be searched after a command.
 */
export function guardedIdentity(state: BigIntStats, whole: boolean): string {
  return whole ? `${identityOf(state)}:${state.birthtimeNs}` : identityOf(state)
}

type NamedFolder = Pick<SearchedFolder, 'child' | 'identity'>

/** A synchronous call: with promises, 100,000 files take many times as long. */
function stateOrNull(at: string): BigIntStats | null {
  try {
    return lstatSync(bytesOfName(at), { bigint: true })
  } catch {
    return null
  }
}

interface Entry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** `null` for a folder that may not be read. */
function entriesOf(folder: NamedFolder): Entry[] | null {
  try {
    const entries = readdirSync(folder.child('.'), { withFileTypes: true, encoding: 'buffer' })
    return entries.map((entry) => ({ name: textOfName(entry.name), kind: kindOf(entry) }))
  } catch {
    return null
  }
}

function kindOf(entry: Dirent<Buffer>): Entry['kind'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}
