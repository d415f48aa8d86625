import type { ZoneNames } from '#sandbox/bwrap/names/look-for-names.ts'
import type { NamesPlace } from './command-names.ts'

/** One search of a worker's zones, as a message to the thread. */
export interface ZonesToLook {
  readonly root: string
  /** relative to `root`, none below another */
  readonly folders: readonly string[]
  /** zones with their modes; guarded or changed names count where the deepest zone is writable */
  readonly zones: readonly { readonly at: string; readonly mode: 'ro' | 'rw' }[]
  /** missing zones, which must not be created */
  readonly missing: readonly string[]
  /** the data folder */
  readonly hidden: string
  /** whether a sandbox mounts guarded folders read-only, with all that is in them */
  readonly mountsWhole: boolean
  readonly names: NamesPlace
  /** files of keys that may be read */
  readonly allowed: ReadonlySet<string>
  /** when the command began; `null`: it has not */
  readonly sinceMs: number | null
}

/** A query to the thread. `cancel` ends a query, which is still answered. */
export type LookRequest =
  | {
      readonly id: number
      readonly do: 'look'
      readonly zones: ZonesToLook
      readonly bounded: boolean
    }
  | {
      readonly id: number
      readonly do: 'undo'
      readonly zones: ZonesToLook
      readonly before: Pick<ZoneNames, 'guarded' | 'closed'>
      readonly untilMs: number
    }
  | { readonly id: number; readonly do: 'cancel' }

export type LookAnswer =
  | { readonly id: number; readonly type: 'names'; readonly names: ZoneNames }
  /** the first sentences about what was undone, and the number of others */
  | {
      readonly id: number
      readonly type: 'undone'
      readonly done: readonly string[]
      readonly more: number
    }
  | {
      readonly id: number
      readonly type: 'tooMany' | 'cancelled' | 'failed'
      readonly message: string
    }
