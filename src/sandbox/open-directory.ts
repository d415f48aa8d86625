import { errorCode } from '#domain/error-code.ts'
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { asWorkspaceProblem } from './file-problem.ts'
import { identityOf } from './hidden-paths.ts'
import { bytesOfName } from './names/raw-names.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants

/**
 * A folder that is open by its descriptor. On Linux `child` goes through the descriptor, so that
 * replacing a parent by a link afterwards has no effect. Elsewhere (macOS has no /proc) it is the
 * plain path: each component is still opened with no-follow, but a replacement between two opens is
 * not noticed. That is weaker.
 */
export interface Directory extends AsyncDisposable {
  readonly handle: FileHandle
  readonly identity: string
  child(name: string): string
}

/** How children are named: through the descriptor, or by the path. */
export type ChildNaming = 'descriptor' | 'path'

/** How this system names children: only Linux can name them through a descriptor. */
export const platformNaming: ChildNaming = process.platform === 'linux' ? 'descriptor' : 'path'

export interface Walk {
  readonly root: string
  readonly naming: ChildNaming
  /** throws for a folder that must not be entered */
  admit(directory: Directory, components: readonly string[]): void
  /** called before a missing folder is made */
  beforeCreate(parent: Directory, name: string, at: string): Promise<void>
  /** called with the path and the identity of a folder that this walk has made */
  afterCreate(at: string, identity: string): void
}

/**
 * Opens the folder at `components`, one component at a time with no-follow on each. With `create`,
 * missing folders are created and flushed. Throws `WorkspaceProblem`: `not_found`, `is_a_link`,
 * `not_a_directory`.
 */
export async function openDirectory(
  walk: Walk,
  components: readonly string[],
  create: boolean,
): Promise<Directory> {
  let current = await openOne(walk.root, walk.root, walk.naming, '')
  try {
    walk.admit(current, [])
    for (const [index, name] of components.entries()) {
      const at = components.slice(0, index + 1).join('/')
      const next = await step(walk, current, name, at, create)
      await current[Symbol.asyncDispose]()
      current = next
      walk.admit(current, components.slice(0, index + 1))
    }
    return current
  } catch (error) {
    await current[Symbol.asyncDispose]()
    throw error
  }
}

/** A walk below `root` that refuses no folder. */
export function plainWalk(root: string): Walk {
  return {
    root,
    naming: platformNaming,
    admit: () => undefined,
    beforeCreate: async () => undefined,
    afterCreate: () => undefined,
  }
}

/** Opens a folder by its name in an open one, with no-follow. Rejects as `openDirectory`. */
export async function openChild(parent: Directory, name: string): Promise<Directory> {
  const target = parent.child(name)
  return openOne(target, target, platformNaming, name)
}

/** An open folder for a thread that does nothing else than search folders. */
export interface SearchedFolder extends Pick<Directory, 'child' | 'identity'>, Disposable {}

/**
 * Opens a folder as `openChild` does, but without promises, which cost more than the file system
 * where there are thousands of folders. `null`: it cannot be opened, or is none.
 */
export function openChildToSearch(
  parent: Pick<Directory, 'child'>,
  name: string,
): SearchedFolder | null {
  const target = parent.child(name)
  try {
    const fd = openSync(bytesOfName(target), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    const base = platformNaming === 'descriptor' ? `/proc/self/fd/${fd}` : target
    return {
      identity: identityOf(fstatSync(fd, { bigint: true })),
      child: (below) => `${base}/${below}`,
      [Symbol.dispose]: () => closeSync(fd),
    }
  } catch {
    return null
  }
}

async function step(
  walk: Walk,
  parent: Directory,
  name: string,
  at: string,
  create: boolean,
): Promise<Directory> {
  const target = parent.child(name)
  const below = path.join(walk.root, at)
  try {
    return await openOne(target, below, walk.naming, at)
  } catch (error) {
    if (!create || !(error instanceof WorkspaceProblem) || error.code !== 'not_found') throw error
  }
  await walk.beforeCreate(parent, name, at)
  try {
    await mkdir(bytesOfName(target))
    walk.afterCreate(at, identityOf(await lstat(bytesOfName(target), { bigint: true })))
    await parent.handle.sync()
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw asWorkspaceProblem(error, at)
  }
  return openOne(target, below, walk.naming, at)
}

async function openOne(
  target: string,
  absolute: string,
  naming: ChildNaming,
  at: string,
): Promise<Directory> {
  let handle: FileHandle
  try {
    handle = await open(bytesOfName(target), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    throw await whyNotOpened(error, target, at)
  }
  const identity = identityOf(await handle.stat({ bigint: true }))
  const base = naming === 'descriptor' ? `/proc/self/fd/${handle.fd}` : absolute
  return {
    handle,
    identity,
    child: (name) => `${base}/${name}`,
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** Linux returns ENOTDIR for a link opened with O_DIRECTORY and O_NOFOLLOW. */
async function whyNotOpened(error: unknown, target: string, at: string): Promise<unknown> {
  if (errorCode(error) === 'ENOTDIR') {
    if (await isLink(target)) {
      return new WorkspaceProblem(
        'is_a_link',
        at,
        `${pathLabel(at)} is a symbolic link; links are not followed.`,
      )
    }
  }
  return asWorkspaceProblem(error, at)
}

async function isLink(target: string): Promise<boolean> {
  try {
    return (await lstat(bytesOfName(target))).isSymbolicLink()
  } catch {
    return false
  }
}
