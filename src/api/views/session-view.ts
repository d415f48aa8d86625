import type { SessionRecord } from '../../services/access/sessions/list-sessions.ts'
import type { SessionView } from '../schemas/access/sessions.ts'

export function sessionView(record: SessionRecord, currentId: string): SessionView {
  return {
    id: record.id,
    method: record.method,
    device: record.device,
    current: record.id === currentId,
    createdAt: record.createdAt.toISOString(),
    lastSeenAt: record.lastSeenAt.toISOString(),
    expiresAt: record.expiresAt.toISOString(),
  }
}
