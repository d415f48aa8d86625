import type { JsonObject } from '../domain/json.ts'

/** What the relay can deliver. Every row travels at least once; the receiver's store makes repeats harmless. */
export type OutboxKind =
  | 'start_run'
  | 'signal_decided'
  | 'signal_messaged'
  | 'signal_called'
  | 'signal_cancelled'
  | 'signal_child_ended'

export interface OutboxRow {
  readonly kind: OutboxKind
  readonly runId: string
  readonly payload: JsonObject
}

/** A row as its writer may deliver it without reading it again. */
export interface WrittenOutboxRow extends OutboxRow {
  readonly id: string
  readonly workflowId: string
  /** the run had no other undelivered row: this one overtakes nothing */
  readonly isNext: boolean
}

/** How long a committing process keeps its rows to itself before the relay may take them. */
export const ownLeaseMs = 2000
