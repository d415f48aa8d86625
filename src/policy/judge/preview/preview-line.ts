import type { ApprovalWord } from '#domain/policy/verdict.ts'

/**
 * One sentence about what a worker does without approval, asks for or never does. `source`:
 * `file:line` of the rule; `null` for what applies everywhere.
 */
export interface PreviewLine {
  readonly approval: ApprovalWord
  readonly text: string
  /** the folder it is about, "" for the whole workspace; absent: no folder */
  readonly place?: string
  /** the tools it is about; empty when the worker has no tool for it */
  readonly tools: readonly string[]
  readonly reason: string | null
  readonly source: string | null
}

/** A line about something for which the worker has no tool. */
export function lineWithoutTool(text: string, reason: string | null = null): PreviewLine {
  return { approval: 'blocked', text, tools: [], reason, source: null }
}
