import type { RunMode } from '#domain/policy/verdict.ts'

/** What a preamble is made of besides the pinned policy version. None of it changes. */
export interface WorldOfRun {
  /** name of its worker */
  readonly worker: string
  readonly mode: RunMode
  /** a person may go on with it after its answer */
  readonly conversation: boolean
  readonly workspace: string
  /** `null`: it works in the folder of the workspace itself */
  readonly worktree: { readonly branch: string; readonly base: string } | null
  readonly startedAt: Date
}
