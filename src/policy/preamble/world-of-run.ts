import type { RunMode } from '#domain/policy/verdict.ts'

/** The facts in a preamble besides the pinned policy version. None of them changes. */
export interface WorldOfRun {
  /** name of its worker */
  readonly worker: string
  readonly mode: RunMode
  /** a person may continue it after its answer */
  readonly conversation: boolean
  readonly workspace: string
  /** `null`: it works in the folder of the workspace */
  readonly worktree: { readonly branch: string; readonly base: string } | null
  readonly startedAt: Date
}
