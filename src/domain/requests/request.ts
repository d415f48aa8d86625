import type { JsonObject } from '../json/json.ts'

/** `start`: the start of a run; `external`: a call of a program. */
export const requestKinds = [
  'tool_call',
  'start',
  'attachment',
  'question',
  'outcome_check',
  'external',
] as const
export type RequestKind = (typeof requestKinds)[number]

/** The states of a request. All but `pending` are final. */
export const requestStates = ['pending', 'approved', 'denied', 'expired', 'cancelled'] as const
export type RequestState = (typeof requestStates)[number]

/** Orders of a list. `age`: the longest waiting first; `createdAt`: the newest first. */
export const requestSorts = ['urgency', 'expiresAt', 'createdAt', 'age', 'risk'] as const
export type RequestSort = (typeof requestSorts)[number]

export const permitStates = ['live', 'consumed', 'lapsed', 'revoked'] as const
export type PermitState = (typeof permitStates)[number]

const attemptStates = ['started', 'succeeded', 'failed', 'refused', 'unknown'] as const
/** The states of the execution of a call. */
export const executionStates = ['not_started', ...attemptStates] as const
export type ExecutionState = (typeof executionStates)[number]

/**
 * The stages of a decision (architecture.md, the decision protocol): durable in Postgres, known to
 * Temporal, then the execution's own state.
 */
export const decisionStages = ['recorded', 'delivered', ...attemptStates] as const
export type DecisionStage = (typeof decisionStages)[number]

/** How a call that was begun ended: every end except a refusal. */
export const executionOutcomes = [
  'succeeded',
  'failed',
  'unknown',
] as const satisfies readonly ExecutionState[]
/** The outcome that a program reports for its call (api.md, Requests). */
export type ExternalOutcome = (typeof executionOutcomes)[number]

/** Whether a call's output can grow. `unknown`: its end is unknown, it has no result. */
export const outputStates = ['running', 'unknown', 'ended'] as const
export type OutputState = (typeof outputStates)[number]

/** The states of a run. The last three are final. */
export const runStates = [
  'running',
  'waiting_for_approval',
  'waiting_for_input',
  'completed',
  'failed',
  'cancelled',
] as const
export type RunState = (typeof runStates)[number]

/** The rare ends, which lists of runs find by an index of their own. */
export const earlyEnds = ['failed', 'cancelled'] as const satisfies readonly RunState[]
export type EarlyEnd = (typeof earlyEnds)[number]

/** Why a run rests; `answered`: a conversation after its answer. */
export const restReasons = ['answered', 'stopped', 'limit', 'budget', 'model_failed'] as const
export type RestReason = (typeof restReasons)[number]

/** Why an approved execution did not happen (product.md 14). */
export type RefusalReason =
  | 'stale'
  | 'lapsed'
  | 'blocked'
  | 'revoked'
  | 'invalid_permit'
  | 'invalid_statement'
  | 'unsigned'

/** Why a request left the queue without a decision or expiry (product.md 13). */
export const cancelReasons = [
  'run_cancelled',
  'run_failed',
  'workflow_lost',
  'sibling_denied',
  'superseded',
  'withdrawn',
  'settled',
  'delegation_denied',
  'delegation_revoked',
] as const
export type CancelReason = (typeof cancelReasons)[number]

/** The literal values of a decision; nothing else is accepted (product.md 6). */
export type DecisionVerb = 'approve' | 'deny'
export type DenialThen = 'continue' | 'stop'

/** What a run does once a person has said how a call ended; `again`: repeat the call. */
export const settlementThens = ['continue', 'again', 'stop'] as const
export type SettlementThen = (typeof settlementThens)[number]

export interface QuorumPlace {
  readonly team: string
  readonly count: number
  /** teams that an escalation added, whose members may fill it too */
  readonly also?: readonly string[]
}

/** Frozen when the request opens. `any` lists alternatives, each a conjunction. */
export interface Quorum {
  readonly any: readonly (readonly QuorumPlace[])[]
}

/** The state that a call's execution is compared with right before it runs (product.md 14). */
export interface CallFacts {
  /** hash of the tool's definition, `sha256:…` */
  readonly toolHash: string
  /** the state of each file that the call replaces, deletes or moves, when it was shown */
  readonly bases: readonly { readonly path: string; readonly hash: string | 'absent' }[]
  /** hash of the bytes that will be written, if there are any */
  readonly newHash?: string
  /** position (1-based) of the earlier call of the turn on whose proposal this one was shown */
  readonly assumes?: number
  /** more facts of the tool */
  readonly detail?: JsonObject
}

/**
 * The types of a call's result (api.md, transcript). `output` is what the tool returned, `text` is
 * for the model.
 */
export const callResultTypes = [
  'output',
  'error',
  'denied',
  'blocked',
  'expired',
  'cancelled',
  'unknown',
] as const
export type CallResultType = (typeof callResultTypes)[number]
