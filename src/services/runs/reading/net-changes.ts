import type { ChangedFileItem } from '#api/schemas/runs/changes.ts'
import type { NetChangeKind } from '#domain/tools/file-change.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** A call that changed a file, by its place in the transcript of its run. */
export type ChangingCall = RecordOf<ChangedFileItem['calls'][number]>

/** A stored change: a `FileChange` with hashes only, its call, and the number of its request. */
export interface StoredChange {
  /** ids sort in the order of the changes */
  readonly id: string
  readonly path: string
  readonly from: string | null
  readonly before: string | null
  readonly after: string | null
  /** `null`: it needed no request */
  readonly request: number | null
  readonly call: ChangingCall
}

/** The place of the stored lines of a file's version. */
export interface VersionRef {
  readonly changeId: string
  readonly side: 'before' | 'after'
}

/** The change of a file since the run began. */
export interface NetChange {
  readonly path: string
  readonly change: NetChangeKind
  /** for a file that was moved: its first path */
  readonly from: string | null
  readonly before: string | null
  readonly after: string | null
  readonly requests: readonly number[]
  /** the newest first, at most 20 */
  readonly calls: readonly ChangingCall[]
  /** of the two versions; `null` where the file did not exist */
  readonly versions: { readonly before: VersionRef | null; readonly after: VersionRef | null }
}

interface Version {
  readonly hash: string
  readonly ref: VersionRef
}

/** A path that was changed: its first and its present version. */
interface TouchedFile {
  readonly first: Version | null
  now: Version | null
  /** the path of this file when the run began */
  firstPath: string
  readonly requests: Set<number>
  /** in their order, by their ids */
  readonly calls: Map<string, ChangingCall>
}

const maxCalls = 20

/** Computes the net effect of changes that are added in order. */
export class NetChanges {
  readonly #paths = new Map<string, TouchedFile>()

  add({ id, path, from, before, after, ...by }: StoredChange): void {
    const version = (side: VersionRef['side'], hash: string | null): Version | null =>
      hash === null ? null : { hash, ref: { changeId: id, side } }
    const target = this.#touch(path, version('before', before), by)
    target.now = version('after', after)
    if (from === null) return
    const source = this.#touch(from, target.now, by)
    source.now = null
    target.firstPath = source.firstPath
    for (const number of source.requests) target.requests.add(number)
    for (const call of source.calls.values()) addCall(target, call)
  }

  /** Sorted by path, in code-unit order, without files that are unchanged in the end. */
  items(): NetChange[] {
    const moved = new Set<string>()
    const items = [...this.#paths].flatMap(([path, touched]): NetChange[] => {
      const source = moved.has(touched.firstPath) ? null : this.#movedFrom(path, touched)
      if (source !== null) moved.add(touched.firstPath)
      const first = source === null ? touched.first : source.first
      const { now } = touched
      if (source === null && first?.hash === now?.hash) return []
      return [
        {
          path,
          change: source !== null ? 'moved' : kindOf(first, now),
          from: source === null ? null : touched.firstPath,
          before: first?.hash ?? null,
          after: now?.hash ?? null,
          requests: [...touched.requests].toSorted((one, other) => one - other),
          calls: [...touched.calls.values()].toReversed(),
          versions: { before: first?.ref ?? null, after: now?.ref ?? null },
        },
      ]
    })
    return items
      .filter(({ path }) => !moved.has(path))
      .toSorted((one, other) => (one.path < other.path ? -1 : 1))
  }

  /** The path from which a file was moved, if it replaced nothing and no longer exists there. */
  #movedFrom(path: string, { first, now, firstPath }: TouchedFile): TouchedFile | null {
    if (firstPath === path || first !== null || now === null) return null
    const source = this.#paths.get(firstPath)
    return source !== undefined && source.first !== null && source.now === null ? source : null
  }

  #touch(
    path: string,
    there: Version | null,
    { call, request }: Pick<StoredChange, 'call' | 'request'>,
  ): TouchedFile {
    const change = this.#paths.get(path)
    const touched = change ?? {
      first: there,
      now: there,
      firstPath: path,
      requests: new Set<number>(),
      calls: new Map<string, ChangingCall>(),
    }
    if (change === undefined) this.#paths.set(path, touched)
    // A file that is created was not moved from elsewhere.
    else if (change.now === null) change.firstPath = path
    if (request !== null) touched.requests.add(request)
    addCall(touched, call)
    return touched
  }
}

/** Adds a call as the newest one; the oldest ones are left out. */
function addCall({ calls }: TouchedFile, call: ChangingCall): void {
  calls.delete(call.id)
  calls.set(call.id, call)
  const [oldest] = calls.keys()
  if (calls.size > maxCalls && oldest !== undefined) calls.delete(oldest)
}

function kindOf(first: Version | null, now: Version | null): NetChangeKind {
  if (first === null) return 'added'
  return now === null ? 'deleted' : 'modified'
}
