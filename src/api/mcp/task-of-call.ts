import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import { requestUrl } from '#domain/requests/request-url.ts'
import type { GatewayCallState } from '#services/gateway/read-call-state.ts'
import { authorizationMeta } from './gateway-answer.ts'
import { hasEnded } from './follow-call.ts'

/** The extension by which a client accepts a task as the answer. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/**
 * States of a task. One that waits for people is `working`: its client has nothing to answer. One
 * is `failed` only where nothing was begun, so that calling again is safe.
 */
type TaskStatus = 'working' | 'completed' | 'cancelled' | 'failed'

/** A task in the form of the revision 2026-07-28. */
export interface CallTask {
  readonly taskId: string
  readonly status: TaskStatus
  readonly statusMessage: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** why it failed, as an error of JSON-RPC */
  readonly error?: { readonly code: number; readonly message: string }
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** A restart of the service may take a few of these before clients give up. */
const pollIntervalMs = 30_000
/** How long after its deadline a call can be asked for. */
const keptForMs = 30 * 24 * 60 * 60 * 1000

export function taskOf(callState: GatewayCallState, publicUrl: string): CallTask {
  const { taskId, createdAt, changedAt, expiresAt, refusalReason, state } = callState
  const status = statusOf(callState)
  const message = `Not run: ${refusalReason ?? 'it failed before it began'}`
  return {
    taskId,
    status,
    statusMessage: messageOf(callState, publicUrl),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: changedAt.toISOString(),
    ttlMs: Math.max(0, expiresAt.getTime() - createdAt.getTime()) + keptForMs,
    pollIntervalMs,
    ...(status === 'failed' && { error: { code: ProtocolErrorCode.InternalError, message } }),
    ...(state === 'pending' && { _meta: authorizationMeta('available', 'task') }),
  }
}

function statusOf(callState: GatewayCallState): TaskStatus {
  if (callState.state === 'cancelled' || callState.refusal === 'cancelled') return 'cancelled'
  if (!hasEnded(callState)) return 'working'
  return callState.refusal === 'failed' && !callState.hasStarted ? 'failed' : 'completed'
}

function messageOf(callState: GatewayCallState, publicUrl: string): string {
  const { number, queue, team, state } = callState
  const where = `request #${number}, ${requestUrl(publicUrl, callState.requestId)}`
  if (hasEnded(callState)) return `Ended (${where})`
  return state === 'pending'
    ? `Not run: waits for somebody of ${team} to decide (queue ${queue}, ${where})`
    : `Allowed, and being carried out (${where})`
}
