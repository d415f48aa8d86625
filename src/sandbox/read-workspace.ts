import type { FileHandle } from 'node:fs/promises'
import type { FileState, Workspace } from '#domain/tools/workspace.ts'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { clashOf, namesInDirectory, type foldedNames } from './case-clash.ts'
import type { FilePlace } from './lock-files.ts'
import { copyFile } from './copy-file.ts'
import { isUnfinishedWrite } from './hidden-paths.ts'
import type { Directory } from './open-directory.ts'
import { hashFile, openFile, readBytes, stateOf } from './open-file.ts'
import type { Enter } from './open-folders.ts'
import type { WorkspacePlaces } from './workspace-places.ts'

/** The reading methods, from a function that opens folders and one that lists their names. */
export function readThrough(
  places: WorkspacePlaces,
  enterFolder: Enter,
  namesOf: typeof foldedNames,
): Pick<Workspace, 'state' | 'read' | 'copy' | 'list'> {
  const { componentsOf, withPlace } = places
  return {
    async state(path, options = {}) {
      if (componentsOf(path).length === 0) return { kind: 'directory', bytes: 0 }
      try {
        return await withPlace(enterFolder, path, async ({ directory, name, at }) => {
          const state = await stateOf(directory, name, at)
          if (state.kind === 'directory') await places.refuseCovered(directory, name, at)
          const clash =
            options.clash === true ? clashOf(await namesOf(directory, at), name) : undefined
          const hash =
            options.hash === true && state.kind === 'file'
              ? await withFile({ directory, name, at }, (handle) =>
                  hashFile(handle, at, options.signal),
                )
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
          options.clash === true
            ? await clashOfMissing(enterFolder, namesOf, componentsOf(path))
            : undefined
        return { kind: 'absent', bytes: 0, ...(clash === undefined ? {} : { clash }) }
      }
    },

    async read(path, range) {
      return withPlace(enterFolder, path, async (place) =>
        withFile(place, (handle) => readRange(handle, place.at, range)),
      )
    },

    async copy(path, to, { maxBytes }) {
      return withPlace(enterFolder, path, async (place) =>
        withFile(place, (handle) => copyFile(handle, to, { at: place.at, maxBytes })),
      )
    },

    async list(path, { maxEntries }) {
      const components = componentsOf(path)
      await using directory = await enterFolder(components)
      return await entriesOf(places, directory, components, maxEntries)
    },
  }
}

async function readRange(
  handle: FileHandle,
  at: string,
  { maxBytes, start }: { readonly maxBytes: number; readonly start?: number },
): Promise<Buffer> {
  const bytes = await readBytes(handle, start ?? 0, maxBytes + (start === undefined ? 1 : 0))
  if (bytes.length <= maxBytes) return bytes
  const { size } = await handle.stat()
  throw new WorkspaceProblem(
    'too_large',
    at,
    `${pathLabel(at)} has ${size} bytes; at most ${maxBytes} can be read at once.`,
  )
}

/** The entries of an open folder that are not hidden, in the order of their names. */
async function entriesOf(
  { isHidden }: WorkspacePlaces,
  directory: Directory,
  components: readonly string[],
  maxEntries: number,
): Promise<{ name: string; state: FileState }[]> {
  const entries: { name: string; state: FileState }[] = []
  for (const name of (await namesInDirectory(directory, components.join('/'))).toSorted(
    byCodeUnit,
  )) {
    if (entries.length >= maxEntries) break
    if (isUnfinishedWrite(name)) continue
    const below = [...components, name]
    const state = await stateOf(directory, name, below.join('/'))
    if (await isHidden(directory, below, state)) continue
    if (state.kind !== 'absent' || name.includes('\uFFFD')) {
      entries.push({ name, state: state.kind === 'absent' ? { kind: 'other', bytes: 0 } : state })
    }
  }
  return entries
}

/** For a path whose parents do not all exist: the clash of creating the first missing one. */
async function clashOfMissing(
  enterFolder: Enter,
  namesOf: typeof foldedNames,
  components: readonly string[],
): Promise<string | undefined> {
  for (const [index, name] of components.entries()) {
    await using parent = await enterFolder(components.slice(0, index))
    const at = components.slice(0, index + 1).join('/')
    if ((await stateOf(parent, name, at)).kind === 'absent') {
      // Awaited here, or the folder would be closed before it is read.
      return clashOf(await namesOf(parent, at), name)
    }
  }
  return undefined
}

/** Opens a file for the time in which `use` reads it. */
async function withFile<T>(
  { directory, name, at }: FilePlace,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await openFile(directory, name, at)
  try {
    return await use(handle)
  } finally {
    await handle.close()
  }
}

function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
