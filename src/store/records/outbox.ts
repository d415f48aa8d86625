import type { JsonObject } from '#domain/json.ts'

/**
 * What the relay can deliver. Every row travels at least once; the receiver's store makes repeats
 * harmless.
 */
export type OutboxKind =
  | 'start_run'
  | 'start_approval'
  | 'signal_decided'
  | 'signal_messaged'
  | 'signal_called'
  | 'signal_cancelled'
  | 'signal_child_ended'

export interface OutboxRow {
  readonly kind: OutboxKind
  /**
   * whose workflow it is for: a run's, or that of a program's request, which is of no run and has
   * its own id here
   */
  readonly runId: string
  readonly payload: JsonObject
}

/** A row as its writer may deliver it without reading it again. */
export interface WrittenOutboxRow extends OutboxRow {
  readonly id: string
  /** `null`: of no run; whoever delivers it looks it up */
  readonly workflowId: string | null
  /** the run had no other undelivered row: this one overtakes nothing */
  readonly isNext: boolean
  /** whether the workflow heard of it ahead of the commit; absent when it was not told */
  readonly announced?: Promise<boolean>
}

/** A decision that is about to be committed, and the workflow that will have to look. */
export interface AnnouncedDecision {
  readonly runId: string
  readonly workflowId: string
  readonly requestIds: readonly string[]
}

/** How long a committing process keeps its rows to itself before the relay may take them. */
export const ownLeaseMs = 2000
