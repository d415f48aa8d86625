import type { WorktreeOnHost } from './worktree.ts'

/**
 * The entry at a path of the workspace, without following links. `hash` (`sha256:…`) only for
 * regular files when requested. `unknown`: the files are on a program's host, and cannot be read.
 */
export interface FileState {
  readonly kind: 'absent' | 'file' | 'directory' | 'symlink' | 'other' | 'unknown'
  readonly bytes: number
  readonly hash?: string
  /**
   * another name in the same folder that differs only by case; only when requested, and only if
   * there is one
   */
  readonly clash?: string
}

/** A copy of a file, and the file that was copied. */
export interface CopiedFile {
  readonly bytes: number
  readonly hash: string
  /** permission bits of the file */
  readonly mode: number
  /** `device:inode` of the file */
  readonly identity: string
}

/**
 * A folder a worker may touch, opened one component at a time with no-follow on each (security.md
 * 10). Reading methods reject with `WorkspaceProblem`; writing ones compare the base hash right
 * before the rename and reject with code `stale` when it differs.
 */
export interface Workspace {
  /** absolute path of the root */
  readonly root: string
  /**
   * paths that are hidden from tools, absolute or relative to the root: with `root`, everything
   * that opening it again needs
   */
  readonly hidden: readonly string[]
  /** the Git worktree that this is, of a run that has one of its own; absent: it is not one */
  readonly worktree?: WorktreeOnHost
  /**
   * `hash`: rejects with `too_large` for a file that is too large to be read for its hash, and with
   * the reason of `signal` once that is aborted.
   */
  state(
    path: string,
    options?: {
      readonly hash?: boolean
      readonly clash?: boolean
      readonly signal?: AbortSignal | undefined
    },
  ): Promise<FileState>
  /**
   * The whole file, `too_large` when it has more than `maxBytes`; with `start`, at most `maxBytes`
   * from that byte on.
   */
  read(
    path: string,
    options: { readonly maxBytes: number; readonly start?: number },
  ): Promise<Uint8Array>
  /**
   * Copies a file, which is opened once, to an absolute path outside of the workspace that must not
   * exist yet; the answer describes the copied bytes. `too_large` when it has more than `maxBytes`.
   */
  copy(path: string, to: string, options: { readonly maxBytes: number }): Promise<CopiedFile>
  /** Sorted by name, without hidden ones. */
  list(
    path: string,
    options: { readonly maxEntries: number },
  ): Promise<readonly { readonly name: string; readonly state: FileState }[]>
  write(path: string, bytes: Uint8Array, expected: string | 'absent'): Promise<void>
  remove(path: string, expected: string): Promise<void>
  move(
    from: string,
    to: string,
    expected: { readonly from: string; readonly to: string | 'absent' },
  ): Promise<void>
}
