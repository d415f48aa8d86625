import type { GatewayCallState } from '#services/gateway/read-call-state.ts'
import { requestUrl } from './gateway-answer.ts'
import { hasEnded } from './follow-call.ts'

/** The extension by which a client takes a task for an answer. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** States of a task. One that waits for people is `working`: its client has nothing to answer. */
type TaskStatus = 'working' | 'completed' | 'cancelled'

/** A task as the revision of 2026-07-28 has it. */
export interface CallTask {
  readonly taskId: string
  readonly status: TaskStatus
  readonly statusMessage: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number
  readonly pollIntervalMs: number
}

/** A restart of ours may last a few of these before clients give up. */
const pollIntervalMs = 30_000
/** How long after its deadline a call can be asked for. */
const keptForMs = 30 * 24 * 60 * 60 * 1000

/** Where a call stands, as its task. */
export function taskOf(callState: GatewayCallState, publicUrl: string): CallTask {
  const { taskId, createdAt, changedAt, expiresAt } = callState
  return {
    taskId,
    status: statusOf(callState),
    statusMessage: messageOf(callState, publicUrl),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: changedAt.toISOString(),
    ttlMs: Math.max(0, expiresAt.getTime() - createdAt.getTime()) + keptForMs,
    pollIntervalMs,
  }
}

function statusOf(callState: GatewayCallState): TaskStatus {
  if (callState.state === 'cancelled' || callState.refusal === 'cancelled') return 'cancelled'
  return hasEnded(callState) ? 'completed' : 'working'
}

function messageOf(callState: GatewayCallState, publicUrl: string): string {
  const { number, queue, team, state } = callState
  const where = `request #${number}, ${requestUrl(publicUrl, callState)}`
  if (hasEnded(callState)) return `Ended (${where})`
  return state === 'pending'
    ? `Not run: waits for somebody of ${team} to decide (queue ${queue}, ${where})`
    : `Allowed, and being carried out (${where})`
}
