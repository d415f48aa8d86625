/**
 * Where a run's workflow begins. `turn` and `taskQueue` are known when it continues as new; at the first
 * start the activity `beginRun` reads them from the store.
 */
export interface RunPosition {
  readonly runId: string
  readonly turn?: number
  readonly taskQueue?: string
  /** calls of people that were not brought to their end yet */
  readonly manualCalls?: readonly string[]
}
