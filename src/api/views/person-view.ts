import type { PersonRecord } from '../../services/access/list-people.ts'
import type { ApiKeyRecord } from '../../services/access/api-key.ts'
import type { ApiKeyView, PersonDetail } from '../schemas/access/auth.ts'

export function personView(record: PersonRecord): PersonDetail {
  return {
    id: record.id,
    email: record.email,
    name: record.name,
    teams: [...record.teams],
    disabledAt: record.disabledAt?.toISOString() ?? null,
  }
}

export function apiKeyView(record: ApiKeyRecord): ApiKeyView {
  return {
    id: record.id,
    name: record.name,
    owner: { id: record.owner.id, name: record.owner.name, email: record.owner.email },
    scopes: [...record.scopes],
    createdAt: record.createdAt.toISOString(),
    lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
    revokedAt: record.revokedAt?.toISOString() ?? null,
    expiresAt: record.expiresAt?.toISOString() ?? null,
    rotatedAt: record.rotatedAt?.toISOString() ?? null,
    previousUntil: record.previousUntil?.toISOString() ?? null,
  }
}
