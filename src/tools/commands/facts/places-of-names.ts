import path from 'node:path'
import { realPathOf } from '#sandbox/real-path.ts'
import { goesUp, namesBehindUp, tooMany } from './named-words.ts'

/**
 * How many lookups of names in folders a command may need. The lookup of a name in a folder counts
 * one. Each 256 characters of the name add one, since all are read; each part behind `..` adds ten,
 * since the disk may be asked for it.
 */
const maxLookups = 200_000
const charactersOfLookup = 256
const lookupsOfDisk = 10

/** Both forms of a workspace's root; the real path is `null` if it has none. */
export interface Roots {
  readonly root: string
  readonly realRoot: string | null
}

/** All places to which these names may lead, in order, relative to the root. */
export type PlacesOf = (names: readonly string[]) => Promise<readonly string[]>

/**
 * Finds the places of names that may be relative to any of these folders, each name once. The
 * lookups of all names together are bounded: past that it rejects with `ToolProblem`.
 */
export function placesFrom(roots: Roots, folders: readonly string[]): PlacesOf {
  const places = new Map<string, ReadonlySet<string>>()
  let lookupsLeft = maxLookups
  return async (names) => {
    for (const name of names) {
      lookupsLeft -= folders.length * (1 + name.length / charactersOfLookup)
      if (lookupsLeft < 0) throw tooMany()
      if (places.has(name)) continue
      for (const part of pathsIn(name)) {
        lookupsLeft -= folders.length * namesBehindUp(part) * lookupsOfDisk
      }
      if (lookupsLeft < 0) throw tooMany()
      places.set(name, await placesOfWord(roots, folders, name))
    }
    return names.flatMap((name) => [...(places.get(name) ?? [])])
  }
}

/**
 * Where a word may lead from these folders. The kernel resolves `..` after the links before it;
 * some programs, such as node, remove `..` from the text first.
 */
async function placesOfWord(
  { root, realRoot }: Roots,
  folders: readonly string[],
  text: string,
): Promise<ReadonlySet<string>> {
  const places = new Set<string | null>()
  for (const name of pathsIn(text)) {
    for (const folder of folders) {
      places.add(placeOf(root, folder, name))
      if (realRoot === null || !mayBePath(name) || !goesUp.test(name)) continue
      const end = await realPathOf(
        path.isAbsolute(name) ? name : `${folderAt(root, folder)}/${name}`,
      )
      if (end !== null) places.add(placeOf(realRoot, '', end))
    }
  }
  return new Set([...places].filter((at) => at !== null))
}

/** The parts of a word that may be a path: all of it, what follows a `=`, or letters of options. */
function pathsIn(text: string): ReadonlySet<string> {
  const [, letters = ''] = /^-([A-Za-z]{1,4})/.exec(text) ?? []
  const attached = Array.from(letters, (_, at) => text.slice(at + 2))
  return new Set([text, text.slice(text.indexOf('=') + 1), ...attached])
}

/** The path of a word below the workspace root, or `null`. */
export function placeOf(root: string, folder: string, text: string): string | null {
  if (!mayBePath(text)) return null
  const at = path.relative(root, path.resolve(folderAt(root, folder), text))
  return at === '' || at === '..' || at.startsWith('../') ? null : at
}

function mayBePath(text: string): boolean {
  return text !== '' && !text.startsWith('-') && !text.includes('\0')
}

function folderAt(root: string, folder: string): string {
  return path.isAbsolute(folder) ? folder : path.join(root, folder)
}
