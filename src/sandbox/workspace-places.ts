import { lstat } from 'node:fs/promises'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { FileState } from '#domain/tools/workspace.ts'
import { refuseClash } from './case-clash.ts'
import type { FilePlace } from './change-file.ts'
import { hiddenPaths, hiddenProblem, identityOf } from './hidden-paths.ts'
import { openDirectory, type ChildNaming, type Directory, type Walk } from './open-directory.ts'
import type { Enter } from './open-folders.ts'
import { parsePath } from './names/path-names.ts'

/** Access to the folders of a workspace, which refuses hidden ones. */
export interface WorkspacePlaces {
  /** Opens a folder below the root; `create`: creates missing ones. */
  enter: Enter
  /** The names of a path. Throws codes `invalid_name` and `hidden`. */
  componentsOf(path: string): readonly string[]
  /** Opens the folder of a path by `enterFolder` while `use` works on its name. */
  withPlace<T>(
    enterFolder: Enter,
    path: string,
    create: boolean,
    use: (place: FilePlace, parents: readonly string[]) => Promise<T>,
  ): Promise<T>
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
  return { enter, componentsOf, withPlace, refuseCovered, isHidden }

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
    const pathResult = parsePath(path)
    if (!pathResult.ok) throw new WorkspaceProblem('invalid_name', path, pathResult.problem)
    hidden.check(pathResult.components)
    return pathResult.components
  }

  async function withPlace<T>(
    enterFolder: Enter,
    path: string,
    create: boolean,
    use: (place: FilePlace, parents: readonly string[]) => Promise<T>,
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
