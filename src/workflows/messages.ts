import { defineSignal } from '@temporalio/workflow'

/**
 * Names that the workflow and its client share. A signal only wakes the workflow and carries ids. A
 * forged, repeated, early, late or reordered signal changes nothing, because every outcome is read
 * from the store.
 */
export const decided = defineSignal<[requestIds: readonly string[]]>('decided')
/** A person has invoked manual tools. */
export const called = defineSignal<[callIds: readonly string[]]>('called')
export const messaged = defineSignal('messaged')
/** Child runs of this run have ended. */
export const childEnded = defineSignal<[runIds: readonly string[]]>('childEnded')
export const cancelRequested = defineSignal('cancelRequested')

/**
 * The request that a workflow waits for. `nextDeadlineMs` is the time from its start to the first
 * deadline, as the store says; `null` after the request has ended. Absent: started by an older
 * version or by hand, so that the workflow reads it.
 */
export interface WaitPosition {
  readonly requestId: string
  readonly nextDeadlineMs?: number | null
}

/**
 * The place where a run's workflow begins. `turn` and `taskQueue` are known when it continues as
 * new and at the start of a run without turns; otherwise the activity `beginRun` reads them.
 */
export interface RunPosition {
  readonly runId: string
  readonly turn?: number
  readonly taskQueue?: string
  /** calls of people without a result so far */
  readonly manualCalls?: readonly string[]
  /** it was started with search attributes; absent: its namespace lacks them */
  readonly listed?: true
  /** its steps have a short history; absent: an older version started it, and a patch says so */
  readonly short?: true
}
