import type { Actor, Channel } from './actor.ts'
import type { JsonObject } from './json/json.ts'

/** Every type of event that the trail can hold (audit.md). */
export const auditEventTypes = [
  'run.started',
  'run.ended',
  'run.cancelled',
  'run.messaged',
  'run.discarded',
  'worktree.removed',
  'call.judged',
  'request.opened',
  'request.revised',
  'request.claimed',
  'request.commented',
  'request.handed_over',
  'request.nudged',
  'request.reminded',
  'request.escalated',
  'request.extended',
  'request.expired',
  'request.cancelled',
  'decision.recorded',
  'decision.refused',
  'attempt.refused',
  'permit.issued',
  'permit.consumed',
  'permit.refused',
  'permit.revoked',
  'execution.started',
  'execution.finished',
  'execution.refused',
  'execution.unknown',
  'execution.settled',
  'grant.given',
  'grant.used',
  'grant.revoked',
  'grant.ended',
  'policy.activated',
  'policy.pinned',
  'policy.rejected',
  'policy.proposed',
  'policy.withdrawn',
  'policy.change_proposed',
  'policy.change_withdrawn',
  'session.started',
  'session.ended',
  'session.refused',
  'credential.changed',
  'key.created',
  'key.revoked',
  'schedule.skipped',
  'schedule.paused',
  'schedule.resumed',
  'trigger.paused',
  'trigger.resumed',
  'webhook.resent',
  'content.revealed',
  'content.erased',
  'audit.exported',
  'system.started',
  'system.stopped',
  'system.reconciled',
] as const

export type AuditEventType = (typeof auditEventTypes)[number]

/**
 * What a verb records in the same transaction as its effect. Ids and digests only; no arguments, no
 * reasons.
 */
export interface AuditEntry {
  readonly type: AuditEventType
  readonly actor: Actor
  readonly channel: Channel
  readonly runId?: string
  readonly requestId?: string
  readonly callId?: string
  readonly digest?: string
  readonly policyDigest?: string
  readonly detail: JsonObject
}
