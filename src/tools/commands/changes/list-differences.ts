import { hashBytes } from '#domain/json/digest.ts'
import type { FileChange, FileSide, ListedChanges } from '#domain/tools/file-change.ts'
import { lineHashes } from '../../presentations/line-hashes.ts'

/** What is or was at a path: nothing, a file, a commit's object, or what nobody has read. */
export type PathState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file'
      readonly hash: string
      /** absent: they were not read */
      readonly bytes?: Uint8Array
    }
  | { readonly kind: 'object'; readonly object: string }
  | { readonly kind: 'unread' }

/** A path that a command may have changed. */
export interface Difference {
  readonly path: string
  readonly before: PathState
  readonly after: PathState
}

/** The most files that are listed for one command. */
export const maxListed = 1_000
/** Of the hashes of lines that are stored for one command. */
const maxLineBytes = 4 * 1024 * 1024
const emptyHash = hashBytes('')

/**
 * The changes of files among the differences; the others are counted. `baseFiles`: the bytes of
 * files at which the worktree began, by path.
 */
export function listDifferences(
  differences: readonly Difference[],
  baseFiles: ReadonlyMap<string, Uint8Array>,
): ListedChanges {
  let [more, lineBytes] = [0, 0]
  const files: FileChange[] = []
  const sideOf = (path: string, state: PathState): FileSide | null | 'unread' => {
    if (state.kind === 'absent') return null
    const bytes = state.kind === 'object' ? baseFiles.get(path) : bytesIn(state)
    const hash = state.kind === 'file' ? state.hash : bytes === undefined ? null : hashBytes(bytes)
    if (hash === null) return 'unread'
    const lines = bytes === undefined ? null : lineHashes(bytes)
    lineBytes += lines?.length ?? 0
    return { hash, lines: lineBytes > maxLineBytes ? null : lines }
  }
  for (const { path, before, after } of differences) {
    const [old, now] = [sideOf(path, before), sideOf(path, after)]
    if (old === 'unread' || now === 'unread') more += 1
    else if (old?.hash === now?.hash) continue
    else if (files.length < maxListed) files.push({ path, from: null, before: old, after: now })
    else more += 1
  }
  return { files: withMoves(files), more }
}

function bytesIn(state: PathState): Uint8Array | undefined {
  return state.kind === 'file' ? state.bytes : undefined
}

/** The same, with a removed file and the only new one with the same bytes as one move. */
function withMoves(files: readonly FileChange[]): FileChange[] {
  const removed = byHash(files, ({ before, after }) => (after === null ? before : null))
  const added = byHash(files, ({ before, after }) => (before === null ? after : null))
  const moves = [...added].flatMap(([hash, [target, ...others]]) => {
    const [source, ...rest] = removed.get(hash) ?? []
    const isOnly = others.length === 0 && rest.length === 0
    return source !== undefined && target !== undefined && isOnly ? [{ source, target }] : []
  })
  const sources = new Map(moves.map(({ source, target }) => [target, source]))
  const moved = new Set(moves.map(({ source }) => source))
  return files
    .filter((file) => !moved.has(file))
    .map((file) => ({ ...file, from: sources.get(file)?.path ?? file.from }))
}

function byHash(
  files: readonly FileChange[],
  sideOf: (file: FileChange) => FileSide | null,
): ReadonlyMap<string, readonly FileChange[]> {
  const sides = files.filter((file) => (sideOf(file)?.hash ?? emptyHash) !== emptyHash)
  return Map.groupBy(sides, (file) => sideOf(file)?.hash ?? '')
}
