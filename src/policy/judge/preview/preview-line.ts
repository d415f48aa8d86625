import type { ApprovalWord } from '#domain/policy/verdict.ts'

/**
 * One sentence about what a worker does alone, asks for or never does. `source`: `file:line` of the
 * rule that says so; `null` for what holds everywhere.
 */
export interface PreviewLine {
  readonly approval: ApprovalWord
  readonly text: string
  /** the folder that it speaks of, "" for the whole workspace; absent: no folder */
  readonly place?: string
  /** the tools that the sentence speaks of; none for what no tool of the worker can do */
  readonly tools: readonly string[]
  readonly reason: string | null
  readonly source: string | null
}

/** A line that no tool stands behind: the worker has no way to do it. */
export function cannot(text: string, reason: string | null = null): PreviewLine {
  return { approval: 'blocked', text, tools: [], reason, source: null }
}
