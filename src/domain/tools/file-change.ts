/** One side of a change to a file. */
export interface FileSide {
  /** of its bytes, `sha256:…` */
  readonly hash: string
  /**
   * a short hash for each line, one after the other, from which lines can be counted and compared
   * without the bytes; `null`: no text, or too large
   */
  readonly lines: Uint8Array | null
}

/**
 * What one call did to the file at a path. `null` as a side: no file is there. A move brings the
 * file from `from`, where nothing is left, and `before` is what it replaced at `path`.
 */
export interface FileChange {
  readonly path: string
  readonly from: string | null
  readonly before: FileSide | null
  readonly after: FileSide | null
}

/** What became of a file from the first change of a run to the last. */
export const netChanges = ['added', 'modified', 'deleted', 'moved'] as const
export type NetChangeKind = (typeof netChanges)[number]
