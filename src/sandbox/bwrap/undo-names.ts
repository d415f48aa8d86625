import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { FoundName } from './look-for-names.ts'

type Guarded = ReadonlyMap<string, FoundName>

/** What a command did to protected names, and that it was undone: sentences, none when it did nothing. */
export async function undoNames(root: string, before: Guarded, after: Guarded): Promise<string[]> {
  const done: string[] = []
  const places = new Map([...before].map(([at, { identity }]) => [identity, at]))
  const handled: string[] = []
  const changed = [...after]
    .filter(([at, found]) => before.get(at)?.identity !== found.identity)
    .toSorted(([one], [other]) => one.length - other.length)
  // What was made in another's place goes first, so that the other can be put back.
  for (const [at, found] of changed) {
    if (isBelowAny(handled, at)) continue
    const old = places.get(found.identity)
    if (old !== undefined) continue
    handled.push(at)
    const problem = await attempt(() => rm(path.join(root, at), { recursive: true, force: true }))
    done.push(
      problem === null
        ? `it made ${quoted(at)}, a protected name, which was removed`
        : `it made ${quoted(at)}, a protected name, which could not be removed (${problem})`,
    )
  }
  for (const [at, found] of changed) {
    const old = places.get(found.identity)
    if (old === undefined || isBelowAny(handled, at)) continue
    handled.push(at)
    const problem = await attempt(async () => {
      await mkdir(path.dirname(path.join(root, old)), { recursive: true })
      await rename(path.join(root, at), path.join(root, old))
    })
    done.push(
      problem === null
        ? `it renamed ${quoted(old)}, a protected name, which was put back`
        : `it renamed ${quoted(old)}, a protected name, to ${quoted(at)}, which could not be put back (${problem})`,
    )
  }
  for (const [at, { identity }] of before) {
    const moved = [...after.values()].some((found) => found.identity === identity)
    if (!moved && !isBelowAny(handled, at) && !after.has(at)) {
      done.push(`it removed ${quoted(at)}, a protected name`)
    }
  }
  return done
}

function isBelowAny(folders: readonly string[], at: string): boolean {
  return folders.some((folder) => at === folder || at.startsWith(`${folder}/`))
}

async function attempt(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

function quoted(at: string): string {
  return JSON.stringify(at)
}
