import type { JsonObject } from '#domain/json/json.ts'

/** What the relay delivers, at least once each; receivers ignore repetitions. */
export type OutboxKind =
  | 'start_run'
  | 'start_approval'
  | 'start_gateway_call'
  | 'signal_decided'
  | 'signal_messaged'
  | 'signal_called'
  | 'signal_cancelled'
  | 'signal_child_ended'

export interface OutboxRow {
  readonly kind: OutboxKind
  /** the run whose workflow gets it, or the request of a program, which has no run */
  readonly runId: string
  readonly payload: JsonObject
}

/** A row that its writer may deliver without reading it again. */
export interface WrittenOutboxRow extends OutboxRow {
  readonly id: string
  /** of the run; `null`: the row has no run, or the run is not written yet */
  readonly workflowId: string | null
  /** whether it goes to a stored run that no other run started */
  readonly isRoot: boolean
  /** whether it goes to the workflow of a program's request */
  readonly isOfProgram: boolean
  /** whether the run had no other undelivered row, so that this one overtakes none */
  readonly isNext: boolean
  /** whether a signal before the commit reached the workflow; absent when none was sent */
  readonly announced?: Promise<boolean>
}

/** A decision that is about to be committed, and the workflow that it concerns. */
export interface AnnouncedDecision {
  readonly runId: string
  readonly workflowId: string
  readonly requestIds: readonly string[]
}

/** Notified with the id of the delivering process, or with nothing if any may deliver. */
export const outboxChannel = 'countersign_outbox'

/** How long only the process that committed rows may deliver them; then any relay may. */
export const ownLeaseMs = 2000
