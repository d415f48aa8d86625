import { defineSignal } from '@temporalio/workflow'

/**
 * Names shared by the workflow and its client. A signal only wakes: it carries ids, and a forged,
 * repeated, early, late or reordered one changes nothing, because every outcome is read from the
 * store.
 */
export const decided = defineSignal<[requestIds: readonly string[]]>('decided')
/** A person has invoked manual tools. */
export const called = defineSignal<[callIds: readonly string[]]>('called')
export const messaged = defineSignal('messaged')
/** Runs that this one has started have ended. */
export const childEnded = defineSignal<[runIds: readonly string[]]>('childEnded')
export const cancelRequested = defineSignal('cancelRequested')

/**
 * Where a run's workflow begins. `turn` and `taskQueue` are known when it continues as new, and at
 * the start of a run without turns; else the activity `beginRun` reads them from the store.
 */
export interface RunPosition {
  readonly runId: string
  readonly turn?: number
  readonly taskQueue?: string
  /** calls of people that were not brought to their end yet */
  readonly manualCalls?: readonly string[]
  /** it was started with search attributes; absent: its namespace lacked them */
  readonly listed?: true
}
