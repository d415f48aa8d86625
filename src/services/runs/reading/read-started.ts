import type { Caller, ServiceContext } from '../../core/context.ts'
import type { TaskRecord } from '../../requests/facts/request-record.ts'
import { readTasks } from '../../requests/facts/read-tasks.ts'
import { viewerOf } from '../../requests/people/viewer.ts'
import type { StartedRun } from '../starting/record-run.ts'
import type { RunUsage } from './run-record.ts'
import { waitsForOf, type WaitsForRecord } from './waits-for.ts'

/** The answer to a start: a run that has used nothing yet. */
export interface StartedRunRecord extends StartedRun {
  readonly task: TaskRecord | null
  readonly usage: RunUsage
  readonly waitsFor: readonly WaitsForRecord[]
}

const unused = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null } as const

/**
 * Adds to the answer to a start what every run carries. The task is read and not stored with the
 * answer for the idempotency key, because it can be erased. A run that has begun waits for nobody
 * in this answer, so that a repeated call gets the same.
 */
export async function readStarted(
  ctx: ServiceContext,
  caller: Caller,
  started: StartedRun,
): Promise<StartedRunRecord> {
  const { id, state } = started
  const task = (await readTasks(ctx.db, [id], 'detail')).get(id) ?? null
  const asks = state === 'waiting_for_approval'
  const waitsFor = asks
    ? (await waitsForOf(ctx.db, await viewerOf(ctx, caller), [id])).get(id)
    : undefined
  return {
    ...started,
    task: task === null ? null : { ...task, later: 0 },
    usage: unused,
    waitsFor: waitsFor ?? [],
  }
}
