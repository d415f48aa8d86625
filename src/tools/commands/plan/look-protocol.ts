import type { ZoneNames } from '#sandbox/bwrap/names/look-for-names.ts'
import type { NamesPlace } from './command-names.ts'

/** One look through a worker's zones, as it travels to the thread that takes it. */
export interface ZonesToLook {
  readonly root: string
  /** relative to `root`, none below another */
  readonly folders: readonly string[]
  /** zones with their modes; what is guarded or changed counts where the deepest one is writable */
  readonly zones: readonly { readonly at: string; readonly mode: 'ro' | 'rw' }[]
  /** zones that are not there, and must not be made */
  readonly missing: readonly string[]
  /** the data folder */
  readonly hidden: string
  readonly names: NamesPlace
  /** files of keys that may be read */
  readonly allowed: ReadonlySet<string>
  /** when the command began; `null` for one that is only about to */
  readonly sinceMs: number | null
}

/** A question to the thread. `cancel` ends a question, which is answered nevertheless. */
export type LookQuestion =
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
  /** sentences of what was undone, the first ones, and how many more there are */
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
