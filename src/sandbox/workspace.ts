import { realpath, stat } from 'node:fs/promises'
import { errorCode } from '#domain/error-code.ts'
import type { FileState, Workspace } from '#domain/tools/workspace.ts'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import type { WorktreeOnHost } from '#domain/tools/worktree.ts'
import { oneAtATime } from '#domain/sharing/one-at-a-time.ts'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { foldedNames, type FoldedNames, refuseClash } from './case-clash.ts'
import { platformNaming, type ChildNaming } from './open-directory.ts'
import { OpenFolders } from './open-folders.ts'
import { readThrough } from './read-workspace.ts'
import { workspacePlaces, type WorkspacePlaces } from './workspace-places.ts'
import { moveFile, removeFile, replaceFile, sweepAbandoned } from './change-file.ts'
import type { FilePlace } from './lock-files.ts'

/** A workspace that opens its folders for each access. */
export interface OpenWorkspace extends Workspace {
  /**
   * Runs `work` on a view of the workspace that opens each folder once and keeps it, even if the
   * folder is moved or replaced. Nothing can be changed through this view, because a change must
   * check that its folder is still at its path.
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
  const about = {
    root,
    hidden: options.hidden,
    ...(options.worktree === undefined ? {} : { worktree: options.worktree }),
  }

  return {
    ...about,
    ...readThrough(places, places.enter, foldedNames),
    ...changeThrough(root, places),
    async look(work) {
      await using folders = new OpenFolders(places.enter)
      const namesByFolder = new Map<string, Promise<FoldedNames>>()
      const now = readThrough(
        places,
        (components) => folders.enter(components),
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

/** The writing methods of the workspace at `root`, one at a time among all that change it. */
function changeThrough(
  root: string,
  { enter, withPlace, withNewPlace }: WorkspacePlaces,
): Pick<Workspace, 'write' | 'remove' | 'move'> {
  /** The open folder must still be the one at the path, or the change would happen elsewhere. */
  async function confirmReachable(place: FilePlace, parents: readonly string[]): Promise<void> {
    await using again = await enter(parents)
    if (again.identity !== place.directory.identity) {
      const at = parents.join('/')
      throw new WorkspaceProblem('stale', at, `${pathLabel(at)} was swapped for another folder.`)
    }
  }

  return {
    async write(path, bytes, expected) {
      await oneAtATime(root, () =>
        withNewPlace(path, async (place, parents) => {
          await refuseClash(place.directory, place.name, place.at)
          await sweepAbandoned(place)
          await replaceFile(place, bytes, expected, () => confirmReachable(place, parents))
        }),
      )
    },

    async remove(path, expected) {
      await withPlace(enter, path, async (place, parents) => {
        await oneAtATime(root, () =>
          removeFile(place, expected, () => confirmReachable(place, parents)),
        )
      })
    },

    async move(from, to, expected) {
      // One at a time, or a change that is refused would remove a folder that another one enters.
      await oneAtATime(root, () =>
        withPlace(enter, from, (source, sourceParents) =>
          withNewPlace(to, async (target, targetParents) => {
            const same = source.directory.identity === target.directory.identity
            const leaving = same ? source.name : undefined
            await refuseClash(target.directory, target.name, target.at, leaving)
            await moveFile(source, target, expected, async () => {
              await confirmReachable(source, sourceParents)
              await confirmReachable(target, targetParents)
            })
          }),
        ),
      )
    },
  }
}
