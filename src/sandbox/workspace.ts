import { realpath, stat } from 'node:fs/promises'
import type { FileState, Workspace } from '#domain/tools/workspace.ts'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { WorktreeOnHost } from '#domain/tools/worktree.ts'
import { foldedNames, refuseClash, type FoldedNames } from './case-clash.ts'
import { moveFile, removeFile, replaceFile, sweepAbandoned, type FilePlace } from './change-file.ts'
import { errorCode, pathLabel } from './file-problem.ts'
import { oneAtATime } from '#domain/sharing/one-at-a-time.ts'
import { platformNaming, type ChildNaming } from './open-directory.ts'
import { OpenFolders } from './open-folders.ts'
import { readThrough } from './read-workspace.ts'
import { workspacePlaces } from './workspace-places.ts'

/** A workspace that opens its folders for each access. */
export interface OpenWorkspace extends Workspace {
  /**
   * Runs `work` on a view of the workspace in which each folder is opened once, and stays what it
   * was found to be. Nothing can be changed through it, since a change must check that its folder
   * is still at its path.
   */
  look<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>
}

/**
 * The folder at `root` for tools: only what is below it, no link followed, no special file opened
 * (security.md 10, 11). `hidden` (absolute or relative to the root) is refused with code `hidden`
 * and never listed. Writes create missing parent folders. Rejects with `UnusableWorkspace` when
 * there is no folder at `root`.
 */
export async function openWorkspace(options: {
  readonly root: string
  readonly hidden: readonly string[]
  readonly worktree?: WorktreeOnHost
  /** for tests of the weaker way on platforms without /proc */
  readonly naming?: ChildNaming
}): Promise<OpenWorkspace> {
  const root = await realFolder(options.root)
  const places = workspacePlaces(root, options.hidden, options.naming ?? platformNaming)
  const { enter, withPlace } = places
  const about = {
    root,
    hidden: options.hidden,
    ...(options.worktree === undefined ? {} : { worktree: options.worktree }),
  }

  /** The open folder must still be the one at the path, or the change would happen elsewhere. */
  async function confirmReachable(place: FilePlace, parents: readonly string[]): Promise<void> {
    await using again = await enter(parents, false)
    if (again.identity !== place.directory.identity) {
      const at = parents.join('/')
      throw new WorkspaceProblem('stale', at, `${pathLabel(at)} was swapped for another folder.`)
    }
  }

  return {
    ...about,
    ...readThrough(places, enter, foldedNames),
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
      const namesByFolder = new Map<string, Promise<FoldedNames>>()
      const now = readThrough(
        places,
        (components, create) => folders.enter(components, create),
        (directory, at) => {
          const names = namesByFolder.get(directory.identity) ?? foldedNames(directory, at)
          namesByFolder.set(directory.identity, names)
          return names
        },
      )
      const states = new Map<string, Promise<FileState>>()
      return await work({
        ...about,
        ...now,
        state(path, options = {}) {
          const key = JSON.stringify([options.hash === true, options.clash === true, path])
          const state = states.get(key) ?? now.state(path, options)
          states.set(key, state)
          return state
        },
        write: changesNothing,
        remove: changesNothing,
        move: changesNothing,
      })
    },
  }
}

/** The real path of a folder. Rejects with `UnusableWorkspace` when there is none. */
export async function realFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder)
    if ((await stat(real)).isDirectory()) return real
  } catch (error) {
    if (!absent.has(errorCode(error))) throw error
  }
  throw new UnusableWorkspace('its folder is not there')
}

const absent: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR'])

async function changesNothing(): Promise<never> {
  throw new TypeError('A preview of a workspace cannot change it')
}
