import { errorCode } from '#domain/error-code.ts'
import { constants } from 'node:fs'
import { chmod, lstat, open, rename } from 'node:fs/promises'
import { identityOf } from '../../hidden-paths.ts'
import { openDirectory, plainWalk, type Directory } from '../../open-directory.ts'
import { bytesOfName, quotedName } from '../../names/raw-names.ts'
import { removeTree } from '../../remove-tree.ts'
import { guardedIdentity, setIdBits, type GuardedName, type ZoneNames } from './look-for-names.ts'

type NamesBefore = Pick<ZoneNames, 'guarded' | 'closed'>
type NamesAfter = NamesBefore & Pick<ZoneNames, 'setId'>

/**
 * Undoes a command's changes of protected names; returns a sentence for each. Every folder on the
 * way is open, so that renaming a parent cannot lead elsewhere (security.md 10). Changes after
 * `untilMs` may be those of somebody else: they are reported and not undone.
 */
export async function undoNames(
  root: string,
  before: NamesBefore,
  after: NamesAfter,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const sentences: string[] = []
  const places = new Map([...before.guarded].map(([at, { identity }]) => [identity, at]))
  const handled = new Set<string>()
  const closedBefore = new Set(before.closed)
  const changed = [...after.guarded]
    .filter(([at, name]) => before.guarded.get(at)?.identity !== name.identity)
    .toSorted(([left], [right]) => left.length - right.length)
  // A replacement is removed first, so that the original can be put back.
  for (const [at, name] of changed) {
    if (isBelowAny(handled, at) || places.has(name.identity)) continue
    handled.add(at)
    if (name.changedMs > untilMs) {
      sentences.push(`${quotedName(at)}, a protected name, was made or changed later and stays`)
      continue
    }
    const problem = await attempt(() => removeName(root, at, name))
    sentences.push(
      problem === null
        ? `it made ${quotedName(at)}, a protected name, which was removed`
        : `it made ${quotedName(at)}, a protected name, which could not be removed (${problem})`,
    )
  }
  for (const [at, name] of changed) {
    const old = places.get(name.identity)
    if (old === undefined || isBelowAny(handled, at)) continue
    handled.add(at)
    const problem = await attempt(() => putBack(root, at, old, name))
    sentences.push(
      problem === null
        ? `it renamed ${quotedName(old)}, a protected name, which was put back`
        : `it renamed ${quotedName(old)}, a protected name, to ${quotedName(at)}, which could not be put back (${problem})`,
    )
  }
  const identitiesAfter = new Set([...after.guarded.values()].map(({ identity }) => identity))
  for (const [at, { identity }] of before.guarded) {
    if (!identitiesAfter.has(identity) && !isBelowAny(handled, at) && !after.guarded.has(at)) {
      sentences.push(`it removed ${quotedName(at)}, a protected name`)
    }
  }
  for (const at of after.closed) {
    if (closedBefore.has(at) || isBelowAny(handled, at)) continue
    sentences.push(
      `it made ${quotedName(at)}, a folder that cannot be looked into for protected names`,
    )
  }
  for (const { identity, path } of after.setId) {
    if (isBelowAny(handled, path)) continue
    const problem = await attempt(() => clearSetId(root, path, identity))
    const end = problem === null ? 'were removed' : `could not be removed (${problem})`
    sentences.push(
      `it gave ${quotedName(path)} the rights of its owner or group for everybody who runs it (set-user-id or set-group-id), which ${end}`,
    )
  }
  return sentences
}

/** A folder and one name in it. */
interface GuardedFolder {
  readonly folder: Directory
  readonly name: string
}

async function withGuardedFolder<T>(
  root: string,
  at: string,
  create: boolean,
  use: (place: GuardedFolder) => Promise<T>,
): Promise<T> {
  const components = at.split('/')
  const name = components.at(-1) ?? ''
  await using folder = await openDirectory(plainWalk(root), components.slice(0, -1), create)
  return await use({ folder, name })
}

async function removeName(root: string, at: string, name: GuardedName): Promise<void> {
  await withGuardedFolder(root, at, false, async (place) => {
    await requireSame(place, name)
    await removeTree(place.folder, place.name)
  })
}

async function putBack(root: string, from: string, to: string, name: GuardedName): Promise<void> {
  await withGuardedFolder(root, from, false, async (source) => {
    await requireSame(source, name)
    await withGuardedFolder(root, to, true, async (target) => {
      const [old, now] = [source, target].map(({ folder, name }) => bytesOfName(folder.child(name)))
      if (old !== undefined && now !== undefined) await rename(old, now)
    })
  })
}

const { O_NOFOLLOW } = constants
/** Linux only: the file itself is not opened, so that its rights do not matter. */
const O_PATH = 0o10000000

/** Through a descriptor of that file: `chmod` by name would follow a link. */
async function clearSetId(root: string, at: string, identity: string): Promise<void> {
  await withGuardedFolder(root, at, false, async ({ folder, name }) => {
    await using handle = await open(bytesOfName(folder.child(name)), O_PATH | O_NOFOLLOW)
    const state = await handle.stat({ bigint: true })
    if (identityOf(state) !== identity) throw new SwappedFolderError()
    await chmod(`/proc/self/fd/${handle.fd}`, Number(state.mode) & 0o7777 & ~setIdBits)
  })
}

/** The present entry must still be the one that was found. */
async function requireSame(
  { folder, name }: GuardedFolder,
  { identity, whole }: GuardedName,
): Promise<void> {
  const state = await lstat(bytesOfName(folder.child(name)), { bigint: true })
  if (guardedIdentity(state, whole) !== identity) throw new SwappedFolderError()
}

class SwappedFolderError extends Error {
  readonly code = 'it was replaced in the meantime'
}

/** Checks only the folders on the way: a command can create any number of names. */
function isBelowAny(folders: ReadonlySet<string>, at: string): boolean {
  for (let end = at.length; end > 0; end = at.lastIndexOf('/', end - 1)) {
    if (folders.has(at.slice(0, end))) return true
  }
  return false
}

/** Why it failed: the system's message, or the workspace's. */
async function attempt(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    return errorCode(error) ?? 'unknown'
  }
}
