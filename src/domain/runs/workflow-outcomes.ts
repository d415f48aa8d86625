/**
 * What activities answer and the workflow obeys: ids and verdicts, never content, so that a step's
 * history stays the same size whatever the transcript (architecture.md, budgets).
 */

/** The state of a run when its workflow begins, is restarted or continues as new. */
export interface RunBeginning {
  readonly ended: boolean
  /** the turn to take next, or to read back if it was taken */
  readonly turn: number
  /** the task queue of the host with the run's workspace */
  readonly taskQueue: string
  /** calls of people that have not entered the transcript yet; absent: none */
  readonly manualCalls?: readonly string[]
}

/** One call of a turn: `execute` now, `wait` for its request, or `done` because it has a result. */
export interface CallPlan {
  readonly callId: string
  readonly step: 'execute' | 'wait' | 'done'
  /** the request that a `wait` call waits for, as `decided` signals name it */
  readonly requestId: string | null
  /** may run before an earlier sibling that waits */
  readonly readOnly: boolean
  /** the queue of a `wait` call's request, for Temporal's list of workflows */
  readonly queue?: string
  /** the name of its tool, for the same; absent: it has a result, or its tool is not built in */
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
 * The result of an activity that took the next turn after its call; `later`: the turn failed, and
 * is to be taken after this time.
 */
export type NextTurn = TurnOutcome | { readonly kind: 'later'; readonly afterMs: number }

/**
 * `requestIds`: the requests of later `decided` signals; the deadline is the earliest of them, from
 * now. `queues`: in which the run's requests wait.
 */
export type CallOutcome =
  | {
      readonly kind: 'done'
      /** what the activity did about the next turn; absent: the workflow must have it taken */
      readonly nextTurn?: NextTurn
    }
  | {
      readonly kind: 'wait'
      readonly requestIds: readonly string[]
      readonly nextDeadlineMs: number | null
      readonly queues?: readonly string[]
    }
  | { readonly kind: 'ended' }

/** `again`: the effect had not started, and the call may be issued once more. */
export type SettleOutcome = { readonly kind: 'again' } | CallOutcome

/** `rests`: a conversation, until a message comes or its rest is over, which is asked again. */
export type CloseOutcome =
  | { readonly kind: 'closed' | 'continue' }
  | ({ readonly kind: 'rests' } & Rest)

/** How long a conversation rests from now, and the turn that a message begins. */
export interface Rest {
  readonly turn: number
  readonly restsForMs: number
}

/** `turn` and `restsForMs`: of a conversation; otherwise the same turn is taken later. */
export interface WaitingForInput extends Partial<Rest> {
  readonly kind: 'waiting_for_input'
  /** the queues of the request to start it; absent: it waits for a message */
  readonly queues?: readonly string[]
  /** as in `RunBeginning`: the calls that the run may wait for */
  readonly manualCalls?: readonly string[]
}

/** Milliseconds until the earliest deadline of everything that waits; `null`: nothing waits. */
export interface NextDeadline {
  readonly nextDeadlineMs: number | null
}
