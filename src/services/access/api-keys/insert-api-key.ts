import { randomBytes } from 'node:crypto'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import type { ApiKeyRecord } from './api-key.ts'
import { hashToken, newToken } from '../token.ts'

/** A key that its owner makes, by themselves or from a proposal. */
export type NewApiKey = Pick<
  ApiKeyRecord,
  'name' | 'owner' | 'proposedBy' | 'scopes' | 'expiresAt'
> & {
  /** the proposal that the key is made from, which ends with this; absent: there was none */
  readonly proposalId?: string
}

/**
 * Makes a key, `cs_<id>_<secret>`, in the caller's transaction and stores only the hash of its
 * secret. The caller is its owner. Audits `key.created`.
 */
export async function insertApiKey(
  unit: UnitOfWork,
  key: NewApiKey,
): Promise<ApiKeyRecord & { key: string }> {
  const { name, owner, proposedBy, expiresAt, proposalId } = key
  const scopes = [...new Set(key.scopes)]
  const id = randomBytes(8).toString('hex')
  const secret = newToken()
  const row = {
    id,
    name,
    owner_id: owner.id,
    secret_hash: hashToken(secret),
    scopes,
    expires_at: expiresAt,
    proposed_by: proposedBy?.id ?? null,
  }
  const { created_at: createdAt } = await unit.tx
    .insertInto('api_key')
    .values({ ...row, seal: unit.seals.of('api_key', row) })
    .returning('created_at')
    .executeTakeFirstOrThrow()
  await unit.audit({
    type: 'key.created',
    detail: {
      keyId: id,
      ownerId: owner.id,
      scopes,
      ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
      ...(proposedBy === null ? {} : { proposedBy: proposedBy.id }),
      ...(proposalId === undefined ? {} : { proposalId }),
    },
  })
  return {
    id,
    key: `cs_${id}_${secret}`,
    name,
    owner,
    proposedBy,
    scopes,
    createdAt,
    lastUsedAt: null,
    revokedAt: null,
    expiresAt,
    rotatedAt: null,
    previousUntil: null,
  }
}
