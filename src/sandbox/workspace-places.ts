import { lstat, rmdir } from 'node:fs/promises'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { FileState } from '#domain/tools/workspace.ts'
import { refuseClash } from './case-clash.ts'
import type { FilePlace } from './lock-files.ts'
import { hiddenPaths, hiddenProblem, identityOf } from './hidden-paths.ts'
import { openDirectory, type ChildNaming, type Directory, type Walk } from './open-directory.ts'
import type { Enter } from './open-folders.ts'
import { parsePath } from './names/path-names.ts'
import { bytesOfName } from './names/raw-names.ts'

type UsePlace<T> = (place: FilePlace, parents: readonly string[]) => Promise<T>

/** A folder that a change has made. */
interface NewFolder {
  readonly at: string
  readonly identity: string
}

/** Access to the folders of a workspace, which refuses hidden ones. */
export interface WorkspacePlaces {
  /** Opens a folder below the root. */
  enter: Enter
  /** The names of a path. Throws codes `invalid_name` and `hidden`. */
  componentsOf(path: string): readonly string[]
  /** Opens the folder of a path by `enterFolder` while `use` works on its name. */
  withPlace<T>(enterFolder: Enter, path: string, use: UsePlace<T>): Promise<T>
  /** The same, and makes missing folders. If `use` rejects, those that are still empty go again. */
  withNewPlace<T>(path: string, use: UsePlace<T>): Promise<T>
  /** Throws code `hidden` for a hidden folder under another name. */
  refuseCovered(directory: Directory, name: string, at: string): Promise<void>
  isHidden(directory: Directory, components: readonly string[], state: FileState): Promise<boolean>
}

/** `root` has no links in it; `hiddenNames` are absolute or relative to it. */
export function workspacePlaces(
  root: string,
  hiddenNames: readonly string[],
  naming: ChildNaming,
): WorkspacePlaces {
  const hidden = hiddenPaths(root, hiddenNames)
  return { enter, componentsOf, withPlace, withNewPlace, refuseCovered, isHidden }

  function enter(components: readonly string[]): Promise<Directory> {
    return open(components, null)
  }

  /** `newFolders`: makes missing folders and adds them; `null`: makes none */
  async function open(
    components: readonly string[],
    newFolders: NewFolder[] | null,
  ): Promise<Directory> {
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
      afterCreate: (at, identity) => void newFolders?.push({ at, identity }),
    }
    return openDirectory(walk, components, newFolders !== null)
  }

  function componentsOf(path: string): readonly string[] {
    const pathResult = parsePath(path)
    if (!pathResult.ok) throw new WorkspaceProblem('invalid_name', path, pathResult.problem)
    hidden.check(pathResult.components)
    return pathResult.components
  }

  async function withNewPlace<T>(path: string, use: UsePlace<T>): Promise<T> {
    const newFolders: NewFolder[] = []
    try {
      return await withPlace((components) => open(components, newFolders), path, use)
    } catch (error) {
      await removeEmpty(newFolders)
      throw error
    }
  }

  async function withPlace<T>(enterFolder: Enter, path: string, use: UsePlace<T>): Promise<T> {
    const components = componentsOf(path)
    const name = components.at(-1)
    if (name === undefined) {
      throw new WorkspaceProblem('not_a_file', path, 'The workspace root is a folder.')
    }
    const parents = components.slice(0, -1)
    await using directory = await enterFolder(parents)
    return await use({ directory, name, at: components.join('/') }, parents)
  }

  /**
   * Removes folders of a change that was refused, the deepest first, until one is in use or is
   * another folder by now. Another process that has only found one there loses it too.
   */
  async function removeEmpty(folders: readonly NewFolder[]): Promise<void> {
    try {
      for (const { at, identity } of folders.toReversed()) {
        const components = at.split('/')
        await using parent = await enter(components.slice(0, -1))
        const place = bytesOfName(parent.child(components.at(-1) ?? ''))
        if (identityOf(await lstat(place, { bigint: true })) !== identity) return
        await rmdir(place)
      }
    } catch {
      // It has an entry of somebody else by now, or was moved: it is not ours to remove.
    }
  }

  async function refuseCovered(directory: Directory, name: string, at: string): Promise<void> {
    const state = await lstat(directory.child(name), { bigint: true }).catch(() => null)
    if (state !== null && (await hidden.identities()).has(identityOf(state))) {
      throw hiddenProblem(at.split('/'))
    }
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
