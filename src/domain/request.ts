import type { JsonObject } from './json.ts'

export type RequestKind = 'tool_call' | 'attachment' | 'question' | 'outcome_check' | 'external'
export type RequestState = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled'
export type PermitState = 'live' | 'consumed' | 'lapsed' | 'revoked'
export type ExecutionState =
  | 'not_started'
  | 'started'
  | 'succeeded'
  | 'failed'
  | 'refused'
  | 'unknown'
export type RunState =
  | 'running'
  | 'waiting_for_approval'
  | 'waiting_for_input'
  | 'completed'
  | 'failed'
  | 'cancelled'

/** What a program says became of the call that it was allowed (api.md, Requests). */
export type ExternalOutcome = Extract<ExecutionState, 'succeeded' | 'failed' | 'unknown'>

/** Why an execution did not happen although it was approved (product.md 14). */
export type RefusalReason =
  | 'stale'
  | 'lapsed'
  | 'blocked'
  | 'revoked'
  | 'invalid_permit'
  | 'invalid_statement'
  | 'unsigned'

/** Why a request left the queue without a decision or expiry (product.md 13). */
export type CancelReason =
  | 'run_cancelled'
  | 'run_failed'
  | 'workflow_lost'
  | 'sibling_denied'
  | 'superseded'
  | 'withdrawn'
  | 'settled'
  | 'delegation_denied'

/** The literal values of a decision; nothing else is accepted (product.md 6). */
export type DecisionVerb = 'approve' | 'deny'
export type DenialThen = 'continue' | 'stop'

/** One place of a quorum. */
export interface QuorumPlace {
  readonly team: string
  readonly count: number
  /** teams whose members may fill it too, since an escalation brought them in */
  readonly also?: readonly string[]
}

/** Frozen into the request when it opens. `any` lists alternatives, each of which is a conjunction. */
export interface Quorum {
  readonly any: readonly (readonly QuorumPlace[])[]
}

/** What a call's execution is compared with when it is about to run (product.md 14). */
export interface CallFacts {
  /** hash of the tool's definition, `sha256:…` */
  readonly toolHash: string
  /** state of each file the call replaces, deletes or moves, when it was shown */
  readonly bases: readonly { readonly path: string; readonly hash: string | 'absent' }[]
  /** hash of the bytes that will be written, when there are any */
  readonly newHash?: string
  /** position (1-based) of the earlier call of the turn on whose proposal this one was shown */
  readonly assumes?: number
  /** further facts of a tool's own */
  readonly detail?: JsonObject
}

/** What a call result tells (api.md, transcript). `output` is what the tool returned, `text` what the model was told. */
export type CallResultType =
  | 'output'
  | 'error'
  | 'denied'
  | 'blocked'
  | 'expired'
  | 'cancelled'
  | 'unknown'
