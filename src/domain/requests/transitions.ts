import { valueIn } from '../json/value-in.ts'
import type { ExecutionState, PermitState, RequestState, RunState } from './request.ts'

/**
 * A state machine as data: for each state, the events it accepts and the next state of each. Other
 * events are refused. A state without events is an end.
 */
export type TransitionTable<State extends string, Event extends string> = {
  readonly [state in State]: { readonly [event in Event]?: State }
}

/** `count`: a vote below the quorum; `revise`: an edit, which removes the votes. */
export type RequestEvent = 'count' | 'revise' | 'extend' | 'approve' | 'deny' | 'expire' | 'cancel'

/** The first terminal outcome wins (product.md 7, 12, 13). */
export const requestTransitions: TransitionTable<RequestState, RequestEvent> = {
  pending: {
    count: 'pending',
    revise: 'pending',
    extend: 'pending',
    approve: 'approved',
    deny: 'denied',
    expire: 'expired',
    cancel: 'cancelled',
  },
  approved: {},
  denied: {},
  expired: {},
  cancelled: {},
}

export type PermitEvent = 'consume' | 'lapse' | 'revoke'

/** A permit is used once, or never. */
export const permitTransitions: TransitionTable<PermitState, PermitEvent> = {
  live: { consume: 'consumed', lapse: 'lapsed', revoke: 'revoked' },
  consumed: {},
  lapsed: {},
  revoked: {},
}

/** `lose`: nobody knows how it ended. */
export type ExecutionEvent = 'start' | 'refuse' | 'succeed' | 'fail' | 'lose'

/**
 * One attempt. The end of an unknown one may still become known, until a person settles it
 * (architecture.md, execution). A tool that finds a changed base right before it would write has
 * done nothing: it is refused as stale.
 */
export const executionTransitions: TransitionTable<ExecutionState, ExecutionEvent> = {
  not_started: { start: 'started', refuse: 'refused' },
  started: { succeed: 'succeeded', fail: 'failed', refuse: 'refused', lose: 'unknown' },
  succeeded: {},
  failed: {},
  refused: {},
  unknown: { succeed: 'succeeded', fail: 'failed' },
}

/**
 * `ask`: its first request opens; `resume`: nothing is pending any more, or a message came; `rest`:
 * it needs a message.
 */
export type RunEvent = 'ask' | 'resume' | 'rest' | 'complete' | 'fail' | 'cancel'

export const runTransitions: TransitionTable<RunState, RunEvent> = {
  running: {
    ask: 'waiting_for_approval',
    rest: 'waiting_for_input',
    complete: 'completed',
    fail: 'failed',
    cancel: 'cancelled',
  },
  waiting_for_approval: {
    resume: 'running',
    rest: 'waiting_for_input',
    fail: 'failed',
    cancel: 'cancelled',
  },
  waiting_for_input: {
    resume: 'running',
    ask: 'waiting_for_approval',
    complete: 'completed',
    fail: 'failed',
    cancel: 'cancelled',
  },
  completed: {},
  failed: {},
  cancelled: {},
}

/** The state after `event` in state `from`, or `null` when the table refuses it. */
export function transition<State extends string, Event extends string>(
  table: TransitionTable<State, Event>,
  from: State,
  event: Event,
): State | null {
  const row: { readonly [event in Event]?: State } = table[from]
  return valueIn<State | undefined>(row, event) ?? null
}

/** Whether a state accepts no event any more. */
export function isEnd<State extends string, Event extends string>(
  table: TransitionTable<State, Event>,
  state: State,
): boolean {
  return Object.keys(table[state]).length === 0
}
