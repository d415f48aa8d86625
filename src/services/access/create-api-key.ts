import { randomBytes } from 'node:crypto'
import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import type { ApiKeyRecord, ApiKeyScope } from './api-key.ts'
import { findActivePerson } from './find-active-person.ts'
import { hasRight } from './has-right.ts'
import { hashToken, newToken } from './token.ts'

/**
 * Makes a key, `cs_<id>_<secret>`, shown this once: only its hash is stored. People make keys of their own;
 * for others it takes the right `activatePolicy`.
 * Rejects with `forbidden`, `not_found` or, for a time that is past, `invalid_request`. Audits `key.created`.
 */
export async function createApiKey(
  ctx: ServiceContext,
  caller: Caller,
  input: {
    name: string
    ownerEmail: string
    scopes: readonly ApiKeyScope[]
    /** when it ends by itself; null: never */
    expiresAt: Date | null
  },
): Promise<ApiKeyRecord & { key: string }> {
  const owner = await findActivePerson(ctx, input.ownerEmail)
  const isOwn = caller.actor.type === 'person' && owner !== null && caller.actor.id === owner.id
  if (!isOwn && !(await hasRight(ctx, caller.actor, 'activatePolicy'))) {
    throw new Problem('forbidden', 'A key for somebody else needs the right activatePolicy')
  }
  if (owner === null) throw new Problem('not_found', 'The project names nobody with this address')
  const { expiresAt } = input
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    const message = 'must be in the future'
    throw new Problem('invalid_request', `expiresAt ${message}`, { field: 'expiresAt', message })
  }
  const id = randomBytes(8).toString('hex')
  const secret = newToken()
  return inUnitOfWork(ctx, async (unit) => {
    const { created_at: createdAt } = await unit.tx
      .insertInto('api_key')
      .values({
        id,
        name: input.name,
        owner_id: owner.id,
        secret_hash: hashToken(secret),
        scopes: [...new Set(input.scopes)],
        expires_at: expiresAt,
      })
      .returning('created_at')
      .executeTakeFirstOrThrow()
    await unit.audit({
      type: 'key.created',
      actor: caller.actor,
      channel: caller.channel,
      detail: {
        keyId: id,
        ownerId: owner.id,
        scopes: [...new Set(input.scopes)],
        ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
      },
    })
    return {
      id,
      key: `cs_${id}_${secret}`,
      name: input.name,
      owner,
      scopes: [...new Set(input.scopes)],
      createdAt,
      lastUsedAt: null,
      revokedAt: null,
      expiresAt,
      rotatedAt: null,
      previousUntil: null,
    }
  })
}
