import type { Workspace } from './workspace.ts'

/**
 * The input of a command tool (workers-and-policy.md, built-in tools). `cwd` is relative to the
 * workspace root.
 */
export type CommandInput =
  | { readonly kind: 'exec'; readonly argv: readonly string[]; readonly cwd: string }
  | { readonly kind: 'shell'; readonly script: string; readonly cwd: string }

/** A program as it was found when a command was judged. `hash` is `sha256:…` of its bytes. */
export interface Executable {
  /** absolute, with its folder's real path; the file name stays, since programs read it */
  readonly path: string
  readonly hash: string
}

/** The abilities of the host that would run a command, for policy. */
export interface CommandHost {
  /** why no sandbox works here, as a sentence; `null`: one works */
  readonly sandboxProblem: string | null
  /**
   * The program for the first word of a vector: found on the fixed `PATH`, or below `cwd` when it
   * has a slash. `null` when there is none.
   */
  executable(name: string, cwd: string): Promise<Executable | null>
  /**
   * The real path after all links are followed (sandbox/real-path.ts): absolute; for a path that
   * does not exist yet, the real parent and the rest. `null` when it cannot be determined.
   */
  realPath(absolute: string): Promise<string | null>
  /**
   * Whether the Git repository around a folder has files of it, which Git commands print even where
   * the folder is hidden; `true` when that cannot be determined.
   */
  gitHas(folder: string): Promise<boolean>
  /**
   * Whether the Git repository around a folder of a workspace has repositories within it: in its
   * index, or on the disk, where a command may add them; `true` when that cannot be determined.
   */
  nestsRepositories(folder: string, workspace: Pick<Workspace, 'root' | 'hidden'>): Promise<boolean>
}

/**
 * How a command runs that policy alone permits: each vector printed from the parse tree with its
 * executable's absolute path, never the original text (security.md 2). `hides`: names of the zones
 * that it does not see (security.md 40).
 */
export type PrintedCommand = { readonly hides: readonly string[] } & (
  | { readonly kind: 'exec'; readonly argv: readonly string[] }
  | { readonly kind: 'shell'; readonly script: string }
)
