import type { PolicyReplay } from '#api/schemas/policy/replay.ts'
import type { Verdict } from '#domain/policy/verdict.ts'

/** Past calls of one tool of one worker that a version would decide in the same other way. */
export interface ReplayGroup {
  readonly worker: string
  readonly tool: string
  readonly before: Verdict
  readonly after: Verdict
  /** where the calls would wait, or the sentence of the rule */
  readonly why: string
  readonly count: number
  /** the run of the newest of the calls */
  readonly newestRunId: string
}

/**
 * Adds differences, newest first, to groups of earlier ones. Groups whose calls would run without
 * approval come first, then larger ones. Pure.
 */
export function addDifferences(
  groups: readonly ReplayGroup[],
  items: PolicyReplay['items'],
): readonly ReplayGroup[] {
  const byKey = new Map(groups.map((group) => [keyOfGroup(group), group]))
  for (const { worker, tool, runId, before, recorded, after } of items) {
    const difference = {
      worker,
      tool,
      before: before?.verdict ?? recorded,
      after: after.verdict,
      why: after.asks ?? after.reason,
    }
    const key = keyOfGroup(difference)
    const { count = 0, newestRunId = runId } = byKey.get(key) ?? {}
    byKey.set(key, { ...difference, count: count + 1, newestRunId })
  }
  return [...byKey.values()].toSorted(
    (one, other) => Number(isWider(other)) - Number(isWider(one)) || other.count - one.count,
  )
}

/** Whether calls that asked, were blocked or were not possible would run without approval. */
export function isWider({ after }: Pick<ReplayGroup, 'after'>): boolean {
  return after === 'preApproved'
}

/** The same for all calls of a group, and for no other. */
export function keyOfGroup(group: Omit<ReplayGroup, 'count' | 'newestRunId'>): string {
  const { worker, tool, before, after, why } = group
  return JSON.stringify([worker, tool, before, after, why])
}
