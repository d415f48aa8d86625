import { lstat, rename } from 'node:fs/promises'
import { errorCode } from '../file-problem.ts'
import { identityOf } from '../hidden-paths.ts'
import { openDirectory, plainWalk, type Directory } from '../open-directory.ts'
import { bytesOfName, quotedName } from '../raw-names.ts'
import { removeTree } from '../remove-tree.ts'
import type { FoundName, FoundNames } from './look-for-names.ts'

type Looked = Pick<FoundNames, 'guarded' | 'closed'>

/**
 * What a command did to protected names, and that it was undone: sentences, none when it did nothing. Every folder on
 * the way is held open, so that a parent which is renamed meanwhile leads nowhere else (security.md 10). What was changed
 * after `untilMs` is nobody's known doing: it is named and stays.
 */
export async function undoNames(
  root: string,
  before: Looked,
  after: Looked,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const done: string[] = []
  const places = new Map([...before.guarded].map(([at, { identity }]) => [identity, at]))
  const handled: string[] = []
  const changed = [...after.guarded]
    .filter(([at, found]) => before.guarded.get(at)?.identity !== found.identity)
    .toSorted(([one], [other]) => one.length - other.length)
  // What was made in another's place goes first, so that the other can be put back.
  for (const [at, found] of changed) {
    if (isBelowAny(handled, at) || places.has(found.identity)) continue
    handled.push(at)
    if (found.changedMs > untilMs) {
      done.push(`${quotedName(at)}, a protected name, was made or changed later and stays`)
      continue
    }
    const problem = await attempt(() => removeFound(root, at, found))
    done.push(
      problem === null
        ? `it made ${quotedName(at)}, a protected name, which was removed`
        : `it made ${quotedName(at)}, a protected name, which could not be removed (${problem})`,
    )
  }
  for (const [at, found] of changed) {
    const old = places.get(found.identity)
    if (old === undefined || isBelowAny(handled, at)) continue
    handled.push(at)
    const problem = await attempt(() => putBack(root, at, old, found))
    done.push(
      problem === null
        ? `it renamed ${quotedName(old)}, a protected name, which was put back`
        : `it renamed ${quotedName(old)}, a protected name, to ${quotedName(at)}, which could not be put back (${problem})`,
    )
  }
  const left = new Set([...after.guarded.values()].map(({ identity }) => identity))
  for (const [at, { identity }] of before.guarded) {
    if (!left.has(identity) && !isBelowAny(handled, at) && !after.guarded.has(at)) {
      done.push(`it removed ${quotedName(at)}, a protected name`)
    }
  }
  for (const at of after.closed) {
    if (before.closed.includes(at) || isBelowAny(handled, at)) continue
    done.push(`it made ${quotedName(at)}, a folder that cannot be looked into for protected names`)
  }
  return done
}

/** A folder and one name in it. */
interface Spot {
  readonly folder: Directory
  readonly name: string
}

async function withSpot<T>(
  root: string,
  at: string,
  create: boolean,
  use: (spot: Spot) => Promise<T>,
): Promise<T> {
  const components = at.split('/')
  const name = components.at(-1) ?? ''
  await using folder = await openDirectory(plainWalk(root), components.slice(0, -1), create)
  return await use({ folder, name })
}

async function removeFound(root: string, at: string, found: FoundName): Promise<void> {
  await withSpot(root, at, false, async (spot) => {
    await requireSame(spot, found)
    await removeTree(spot.folder, spot.name)
  })
}

async function putBack(root: string, from: string, to: string, found: FoundName): Promise<void> {
  await withSpot(root, from, false, async (source) => {
    await requireSame(source, found)
    await withSpot(root, to, true, async (target) => {
      const [old, now] = [source, target].map(({ folder, name }) => bytesOfName(folder.child(name)))
      if (old !== undefined && now !== undefined) await rename(old, now)
    })
  })
}

/** What lies there now must still be what was looked at. */
async function requireSame({ folder, name }: Spot, { identity }: FoundName): Promise<void> {
  const state = await lstat(bytesOfName(folder.child(name)), { bigint: true })
  if (identityOf(state) !== identity) throw new Swapped()
}

class Swapped extends Error {
  readonly code = 'it was swapped meanwhile'
}

function isBelowAny(folders: readonly string[], at: string): boolean {
  return folders.some((folder) => at === folder || at.startsWith(`${folder}/`))
}

/** Why it did not work: the system's word for it, or the workspace's. */
async function attempt(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    return errorCode(error) ?? 'unknown'
  }
}
