/**
 * What activities answer and the workflow obeys: ids and verdicts, never content, so that a step's
 * history stays the same size whatever the transcript (architecture.md, budgets).
 */

/** Where a run stands when its workflow begins, is started again or continues as new. */
export interface RunBeginning {
  readonly ended: boolean
  /** the turn to take next, or to read back when it was taken */
  readonly turn: number
  /** the queue of the host that has the run's workspace */
  readonly taskQueue: string
  /** calls of people that have not entered the transcript yet; absent when there are none */
  readonly manualCalls?: readonly string[]
}

/** One call of a turn: `execute` now, `wait` for its request, or `done` because it has a result. */
export interface CallPlan {
  readonly callId: string
  readonly step: 'execute' | 'wait' | 'done'
  /** the request a `wait` call waits for; what a `decided` signal may name */
  readonly requestId: string | null
  /** may run before an earlier sibling that waits */
  readonly readOnly: boolean
  /** the queue of a `wait` call's request, for Temporal's list of workflows */
  readonly queue?: string
  /** the name of its tool, for the same; absent: it has a result, or has no name of ours */
  readonly tool?: string
}

export type TurnOutcome =
  | {
      readonly kind: 'calls'
      readonly calls: readonly CallPlan[]
      readonly nextDeadlineMs: number | null
    }
  | { readonly kind: 'finished' }
  | WaitingForInput
  | { readonly kind: 'ended' }

/**
 * What an activity came to that took the next turn after its call; `later`: it failed at the turn,
 * which is to be taken after this time.
 */
export type NextTurn = TurnOutcome | { readonly kind: 'later'; readonly afterMs: number }

/**
 * `requestIds` are what a later `decided` signal may name; the deadline is the earliest of them,
 * from now. `queues`: in which the run's requests wait.
 */
export type CallOutcome =
  | {
      readonly kind: 'done'
      /** what the activity did about the next turn; absent: the workflow has it taken */
      readonly nextTurn?: NextTurn
    }
  | {
      readonly kind: 'wait'
      readonly requestIds: readonly string[]
      readonly nextDeadlineMs: number | null
      readonly queues?: readonly string[]
    }
  | { readonly kind: 'ended' }

/** `again`: the effect had not started, the call may be issued once more. */
export type SettleOutcome = { readonly kind: 'again' } | CallOutcome

/** `rests`: a conversation, until a message comes or its rest is over, which is asked for again. */
export type CloseOutcome =
  | { readonly kind: 'closed' | 'continue' }
  | ({ readonly kind: 'rests' } & Rest)

/** How long a conversation rests from now, and the turn that a message begins. */
export interface Rest {
  readonly turn: number
  readonly restsForMs: number
}

/** `turn` and `restsForMs`: of a conversation; else the same turn is taken, whenever that is. */
export interface WaitingForInput extends Partial<Rest> {
  readonly kind: 'waiting_for_input'
  /** the queues in which the request to start it waits; absent: it waits for a message */
  readonly queues?: readonly string[]
  /** as in `RunBeginning`: what it may be that the run waits for */
  readonly manualCalls?: readonly string[]
}

/**
 * The earliest deadline of what still waits, from now, in milliseconds; `null` when nothing waits.
 */
export interface NextDeadline {
  readonly nextDeadlineMs: number | null
}
