import type { GrantRecord } from '../../services/grants/list-grants.ts'
import type { GrantView } from '../schemas/policy/grants.ts'

export function grantView(record: GrantRecord): GrantView {
  return {
    ...record,
    createdAt: record.createdAt.toISOString(),
    expiresAt: record.expiresAt?.toISOString() ?? null,
    revokedAt: record.revokedAt?.toISOString() ?? null,
    endedAt: record.endedAt?.toISOString() ?? null,
  }
}
