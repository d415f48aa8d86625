import type { GatewayStanding } from '#services/gateway/gateway-standing.ts'
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
export function taskOf(standing: GatewayStanding, publicUrl: string): CallTask {
  const { taskId, createdAt, changedAt, expiresAt } = standing
  return {
    taskId,
    status: statusOf(standing),
    statusMessage: messageOf(standing, publicUrl),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: changedAt.toISOString(),
    ttlMs: Math.max(0, expiresAt.getTime() - createdAt.getTime()) + keptForMs,
    pollIntervalMs,
  }
}

function statusOf(standing: GatewayStanding): TaskStatus {
  if (standing.state === 'cancelled' || standing.refusal === 'cancelled') return 'cancelled'
  return hasEnded(standing) ? 'completed' : 'working'
}

function messageOf(standing: GatewayStanding, publicUrl: string): string {
  const { number, queue, team, state } = standing
  const where = `request #${number}, ${requestUrl(publicUrl, standing)}`
  if (hasEnded(standing)) return `Ended (${where})`
  return state === 'pending'
    ? `Not run: waits for somebody of ${team} to decide (queue ${queue}, ${where})`
    : `Allowed, and being carried out (${where})`
}
