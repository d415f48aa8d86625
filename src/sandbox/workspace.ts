import { lstat, realpath } from 'node:fs/promises'
import type { FileState, Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { WorktreeOnHost } from '#domain/tools/worktree.ts'
import { moveFile, removeFile, replaceFile, sweepAbandoned, type Place } from './change-file.ts'
import { clashOf, foldedNames, namesIn, refuseClash, type FoldedNames } from './case-clash.ts'
import { copyFile } from './copy-file.ts'
import { pathLabel } from './file-problem.ts'
import { OpenFolders, type Enter } from './open-folders.ts'
import { hiddenPaths, hiddenProblem, identityOf, isUnfinishedWrite } from './hidden-paths.ts'
import { oneAtATime } from './one-at-a-time.ts'
import {
  openDirectory,
  platformNaming,
  type ChildNaming,
  type Directory,
  type Walk,
} from './open-directory.ts'
import { hashFile, openFile, readBytes, stateOf } from './open-file.ts'
import { parsePath } from './path-names.ts'

/** A workspace that opens its folders afresh for each access. */
export interface OpenWorkspace extends Workspace {
  /**
   * Runs `work` on the workspace as it is now: a folder is opened once, at its first use, and a
   * path stays what it was found to be. Nothing can be changed through it, since a change makes
   * sure that its folder is where its path leads.
   */
  look<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>
}

/**
 * The folder at `root` as tools may touch it: beneath it only, no link followed, no special file
 * opened (security.md 10, 11). `hidden` (absolute or relative to the root) is refused with code
 * `hidden` and never listed. Writes make the parent folders they need. Throws when `root` is no
 * folder.
 */
export async function openWorkspace(options: {
  readonly root: string
  readonly hidden: readonly string[]
  readonly worktree?: WorktreeOnHost
  /** for tests of the weaker way that platforms without /proc have to go */
  readonly naming?: ChildNaming
}): Promise<OpenWorkspace> {
  const root = await realpath(options.root)
  const hidden = hiddenPaths(root, options.hidden)
  const naming = options.naming ?? platformNaming

  async function enter(components: readonly string[], create: boolean): Promise<Directory> {
    const covered = await hidden.identities()
    const walk: Walk = {
      root,
      naming,
      admit(directory, at) {
        if (covered.has(directory.identity)) throw hiddenProblem(at)
      },
      async beforeCreate(parent, name, at) {
        await refuseClash(parent, name, at)
      },
    }
    return openDirectory(walk, components, create)
  }

  function componentsOf(path: string): readonly string[] {
    const parsed = parsePath(path)
    if (!parsed.ok) throw new WorkspaceProblem('invalid_name', path, parsed.problem)
    hidden.check(parsed.components)
    return parsed.components
  }

  async function withPlace<T>(
    enterFolder: Enter,
    path: string,
    create: boolean,
    use: (place: Place, parents: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const components = componentsOf(path)
    const name = components.at(-1)
    if (name === undefined) {
      throw new WorkspaceProblem('not_a_file', path, 'The workspace root is a folder.')
    }
    const parents = components.slice(0, -1)
    await using directory = await enterFolder(parents, create)
    return await use({ directory, name, at: components.join('/') }, parents)
  }

  /**
   * The folder we hold must still be the one the path names, or the change would land somewhere
   * else.
   */
  async function confirmReachable(place: Place, parents: readonly string[]): Promise<void> {
    await using again = await enter(parents, false)
    if (again.identity !== place.directory.identity) {
      const at = parents.join('/')
      throw new WorkspaceProblem('stale', at, `${pathLabel(at)} was swapped for another folder.`)
    }
  }

  return {
    ...readThrough(enter, foldedNames),
    async write(path, bytes, expected) {
      await withPlace(enter, path, true, async (place, parents) => {
        await refuseClash(place.directory, place.name, place.at)
        await sweepAbandoned(place.directory)
        await oneAtATime(root, () =>
          replaceFile(place, bytes, expected, () => confirmReachable(place, parents)),
        )
      })
    },

    async remove(path, expected) {
      await withPlace(enter, path, false, async (place, parents) => {
        await oneAtATime(root, () =>
          removeFile(place, expected, () => confirmReachable(place, parents)),
        )
      })
    },

    async move(from, to, expected) {
      await withPlace(enter, from, false, async (source, sourceParents) => {
        await withPlace(enter, to, true, async (target, targetParents) => {
          const same = source.directory.identity === target.directory.identity
          await refuseClash(
            target.directory,
            target.name,
            target.at,
            same ? source.name : undefined,
          )
          await oneAtATime(root, () =>
            moveFile(source, target, expected, async () => {
              await confirmReachable(source, sourceParents)
              await confirmReachable(target, targetParents)
            }),
          )
        })
      })
    },

    async look(work) {
      await using folders = new OpenFolders(enter)
      const listed = new Map<string, Promise<FoldedNames>>()
      const now = readThrough(
        (components, create) => folders.enter(components, create),
        (directory, at) => {
          const names = listed.get(directory.identity) ?? foldedNames(directory, at)
          listed.set(directory.identity, names)
          return names
        },
      )
      const states = new Map<string, Promise<FileState>>()
      return await work({
        ...now,
        state(path, wanted = {}) {
          const key = JSON.stringify([wanted.hash === true, wanted.clash === true, path])
          const state = states.get(key) ?? now.state(path, wanted)
          states.set(key, state)
          return state
        },
        write: changesNothing,
        remove: changesNothing,
        move: changesNothing,
      })
    },
  }

  /** What only looks, by a way to its folders and one to the names in them. */
  function readThrough(
    enterFolder: Enter,
    namesOf: typeof foldedNames,
  ): Pick<Workspace, 'root' | 'hidden' | 'worktree' | 'state' | 'read' | 'copy' | 'list'> {
    return {
      root,
      hidden: options.hidden,
      ...(options.worktree === undefined ? {} : { worktree: options.worktree }),

      async state(path, wanted = {}) {
        if (componentsOf(path).length === 0) return { kind: 'directory', bytes: 0 }
        try {
          return await withPlace(enterFolder, path, false, async ({ directory, name, at }) => {
            const state = await stateOf(directory, name, at)
            if (state.kind === 'directory') await refuseCovered(directory, name, at)
            const clash =
              wanted.clash === true ? clashOf(await namesOf(directory, at), name) : undefined
            const hash =
              wanted.hash === true && state.kind === 'file'
                ? await hashAt(directory, name, at)
                : undefined
            return {
              ...state,
              ...(hash === undefined ? {} : { hash }),
              ...(clash === undefined ? {} : { clash }),
            }
          })
        } catch (error) {
          if (!(error instanceof WorkspaceProblem) || error.code !== 'not_found') throw error
          const clash =
            wanted.clash === true
              ? await clashOfMissing(enterFolder, namesOf, componentsOf(path))
              : undefined
          return { kind: 'absent', bytes: 0, ...(clash === undefined ? {} : { clash }) }
        }
      },

      async read(path, { maxBytes, start }) {
        return withPlace(enterFolder, path, false, async ({ directory, name, at }) => {
          const handle = await openFile(directory, name, at)
          try {
            const bytes = await readBytes(
              handle,
              start ?? 0,
              maxBytes + (start === undefined ? 1 : 0),
            )
            if (bytes.length <= maxBytes) return bytes
            const { size } = await handle.stat()
            throw new WorkspaceProblem(
              'too_large',
              at,
              `${pathLabel(at)} has ${size} bytes; at most ${maxBytes} can be read at once.`,
            )
          } finally {
            await handle.close()
          }
        })
      },

      async copy(path, to, { maxBytes }) {
        return withPlace(enterFolder, path, false, async ({ directory, name, at }) => {
          const handle = await openFile(directory, name, at)
          try {
            return await copyFile(handle, to, { at, maxBytes })
          } finally {
            await handle.close()
          }
        })
      },

      async list(path, { maxEntries }) {
        const components = componentsOf(path)
        await using directory = await enterFolder(components, false)
        const at = components.join('/')
        const entries: { name: string; state: FileState }[] = []
        for (const name of (await namesIn(directory, at)).toSorted(byCodeUnit)) {
          if (entries.length >= maxEntries) break
          if (isUnfinishedWrite(name)) continue
          const below = [...components, name]
          const state = await stateOf(directory, name, below.join('/'))
          if (await isHidden(directory, below, state)) continue
          if (state.kind !== 'absent' || name.includes('\uFFFD')) {
            entries.push({
              name,
              state: state.kind === 'absent' ? { kind: 'other', bytes: 0 } : state,
            })
          }
        }
        return entries
      },
    }
  }

  /** A folder that is a hidden one under another name. */
  async function refuseCovered(directory: Directory, name: string, at: string): Promise<void> {
    const state = await lstat(directory.child(name), { bigint: true }).catch(() => null)
    if (state !== null && (await hidden.identities()).has(identityOf(state))) {
      throw hiddenProblem(at.split('/'))
    }
  }

  /**
   * For a path whose parents do not all exist: the clash that making the first missing one would
   * meet.
   */
  async function clashOfMissing(
    enterFolder: Enter,
    namesOf: typeof foldedNames,
    components: readonly string[],
  ): Promise<string | undefined> {
    for (const [index, name] of components.entries()) {
      await using parent = await enterFolder(components.slice(0, index), false)
      const at = components.slice(0, index + 1).join('/')
      if ((await stateOf(parent, name, at)).kind === 'absent') {
        // Awaited here, or the folder would be closed before it is read.
        return clashOf(await namesOf(parent, at), name)
      }
    }
    return undefined
  }

  async function isHidden(
    directory: Directory,
    components: readonly string[],
    state: FileState,
  ): Promise<boolean> {
    try {
      hidden.check(components)
      if (state.kind === 'directory') {
        await refuseCovered(directory, components.at(-1) ?? '', components.join('/'))
      }
      return false
    } catch (error) {
      return error instanceof WorkspaceProblem && error.code === 'hidden'
    }
  }
}

async function hashAt(directory: Directory, name: string, at: string): Promise<string> {
  const handle = await openFile(directory, name, at)
  try {
    return await hashFile(handle)
  } finally {
    await handle.close()
  }
}

async function changesNothing(): Promise<never> {
  throw new TypeError('A look at a workspace cannot change it')
}

function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
