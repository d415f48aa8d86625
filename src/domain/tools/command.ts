/**
 * What a command tool is asked to run (workers-and-policy.md, built-in tools). `cwd` is relative to
 * the workspace root.
 */
export type CommandInput =
  | { readonly kind: 'exec'; readonly argv: readonly string[]; readonly cwd: string }
  | { readonly kind: 'shell'; readonly script: string; readonly cwd: string }

/** A program as it was found when a command was judged. `hash` is `sha256:…` of its bytes. */
export interface Executable {
  /**
   * absolute, its folder without links; it keeps its own name, since many programs look at how they
   * were called
   */
  readonly path: string
  readonly hash: string
}

/** What policy asks of the host that would run a command. */
export interface CommandHost {
  /** why no sandbox works here, as a sentence; `null` when it works */
  readonly sandboxProblem: string | null
  /**
   * The program that the first word of a vector means: looked up on the fixed `PATH`, or below
   * `cwd` when it has a slash. `null` when there is none.
   */
  executable(name: string, cwd: string): Promise<Executable | null>
  /**
   * Where a path really lies once every link on the way is followed (sandbox/real-path.ts):
   * absolute; of what does not exist yet, the real parent with the rest behind it. `null` when that
   * cannot be said.
   */
  realPath(absolute: string): Promise<string | null>
  /**
   * Whether the Git repository around a folder has files of it, which its commands print wherever
   * the folder itself is hidden; `true` where that cannot be said.
   */
  gitHas(folder: string): Promise<boolean>
}

/**
 * How a command that policy alone allows runs: each vector printed back from the tree with its
 * executable's absolute path, never the original text (security.md 2). `hides`: names of the zones
 * that it does not see (security.md 40).
 */
export type PrintedCommand = { readonly hides: readonly string[] } & (
  | { readonly kind: 'exec'; readonly argv: readonly string[] }
  | { readonly kind: 'shell'; readonly script: string }
)
