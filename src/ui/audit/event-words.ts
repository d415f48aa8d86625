import { withCapital } from '#domain/text/readable-name.ts'
import type { AuditEventType } from '#domain/audit-event.ts'

const labels: Partial<Record<AuditEventType, string>> = {
  'call.judged': 'Call judged by policy',
  'request.opened': 'Request opened',
  'request.revised': 'Call changed by a person',
  'request.claimed': 'Claimed or released',
  'request.commented': 'Comment written',
  'request.handed_over': 'Handed over to a colleague',
  'request.nudged': 'Nudged by somebody who waits for it',
  'request.reminded': 'Reminded, since nobody decided',
  'request.escalated': 'Escalated, since nobody decided',
  'decision.recorded': 'Decision recorded',
  'decision.refused': 'Decision refused',
  'attempt.refused': 'Attempt refused',
  'permit.issued': 'Permit issued',
  'permit.consumed': 'Permit used',
  'permit.refused': 'Permit refused',
  'permit.revoked': 'Permit revoked',
  'execution.started': 'Execution started',
  'execution.finished': 'Carried out',
  'execution.refused': 'Execution refused',
  'execution.unknown': 'Outcome unknown',
  'execution.settled': 'Outcome settled by a person',
  'audit.exported': 'Trail read or exported',
}

/** An event's type in words: "Decision recorded", "Grant given". Pure. */
export function eventWords(type: AuditEventType): string {
  return labels[type] ?? withCapital(type.replace('.', ' ').replaceAll('_', ' '))
}
