/** One side of a change to a file. */
export interface FileSide {
  /** of its bytes, `sha256:…` */
  readonly hash: string
  /**
   * a short hash for each line, concatenated, to count and compare lines without the bytes; `null`:
   * not text, or too large
   */
  readonly lines: Uint8Array | null
}

/**
 * One call's change of the file at a path. `null` as a side: there is no file. A move brings the
 * file from `from`, and `before` is the file that it replaced at `path`.
 */
export interface FileChange {
  readonly path: string
  readonly from: string | null
  readonly before: FileSide | null
  readonly after: FileSide | null
}

/** What a command changed in its run's worktree. */
export interface ListedChanges {
  readonly files: readonly FileChange[]
  /** other changes: of too many or too large files, of links, and of names that tools refuse */
  readonly more: number
}

/** The net change of a file over a run. */
export const netChanges = ['added', 'modified', 'deleted', 'moved'] as const
export type NetChangeKind = (typeof netChanges)[number]
