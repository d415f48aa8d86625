/**
 * The Git worktree of a root run and its children in one workspace (product.md 35): a branch of its
 * own that begins at `baseCommit`, the commit of the branch `base` when the run started.
 */
export interface WorktreeOfRun {
  readonly branch: string
  readonly base: string
  /** the full hash */
  readonly baseCommit: string
}

/** A worktree as the host of its workspace has it. */
export interface WorktreeOnHost extends WorktreeOfRun {
  /** absolute; in the data folder, with everything of the worktree; no command sees it */
  readonly folder: string
  /** absolute; the object folders of the repository, which its Git folder reads too */
  readonly objectStores: readonly string[]
}

/** The branch of a run, by its number and the name of its worker. */
export function worktreeBranch(run: { readonly number: number; readonly worker: string }): string {
  return `countersign/${run.number}-${run.worker}`
}

/** Whether a text is a plain name of a branch that Git accepts and reads as nothing else. */
export function isBranchName(name: string): boolean {
  return (
    name.length <= 200 &&
    /^[A-Za-z0-9][A-Za-z0-9._+/-]*$/.test(name) &&
    !/\.\.|\/\/|\/\.|\.\/|\.lock(?:\/|$)|[./]$/.test(name)
  )
}

/** Whether a text is the full hash of a commit. */
export function isCommitHash(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}
