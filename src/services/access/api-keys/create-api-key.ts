import { databaseTime } from '#store/database-time.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { ApiKeyRecord } from './api-key.ts'
import { insertApiKey, type NewApiKey } from './insert-api-key.ts'
import { readPerson } from '../read-person.ts'
import { bySelf } from '../../core/authority.ts'
import { invalid } from '../../core/problems/invalid.ts'

/**
 * Makes an API key of the caller, `cs_<id>_<secret>`, shown this once. `proposeApiKey` proposes a
 * key to somebody else. Rejects with `forbidden` for callers that are not people, and with
 * `invalid_request` for an expiry in the past. Audits `key.created`.
 */
export async function createApiKey(
  ctx: ServiceContext,
  caller: Caller,
  input: Pick<NewApiKey, 'name' | 'scopes' | 'expiresAt'>,
): Promise<ApiKeyRecord & { key: string }> {
  const authority = bySelf(caller, 'Only people can create keys')
  await refusePast(ctx, input.expiresAt)
  const { id, name, email } = await readPerson(ctx, authority.actor.id)
  const owner = { id, name, email }
  return inUnitOfWork(ctx, authority, (unit) =>
    insertApiKey(unit, { ...input, owner, proposedBy: null }),
  )
}

/** Rejects an expiry that has passed with `invalid_request`. */
export async function refusePast(
  { db }: Pick<ServiceContext, 'db'>,
  expiresAt: Date | null,
): Promise<void> {
  if (expiresAt === null || expiresAt > (await databaseTime(db))) return
  throw invalid('expiresAt', 'must be in the future')
}
