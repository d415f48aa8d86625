import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

type KeyReader = Pick<UnitOfWork, 'tx' | 'seals'>

/**
 * A key may end while its call waits for people, or between its look-up and the transaction that it
 * is for: refuses what such a key would do there (security.md 22). Rejects with `unauthenticated`.
 */
export async function refuseEndedKey(at: KeyReader, keyId: string): Promise<void> {
  if (!(await isKeyLive(at, keyId))) {
    throw new Problem('unauthenticated', 'This API key has ended since the call began')
  }
}

/** Whether a key is neither revoked nor expired, and its owner not disabled. */
export async function isKeyLive({ tx, seals }: KeyReader, keyId: string): Promise<boolean> {
  // A row that was put back to before the revocation does not make the key live again.
  if (seals.revocations.has({ what: 'api_key', id: keyId })) return false
  const live = await tx
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .select('api_key.id')
    .where('api_key.id', '=', keyId)
    .where('api_key.revoked_at', 'is', null)
    .where(sql<boolean>`coalesce(api_key.expires_at > clock_timestamp(), true)`)
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  return live !== undefined
}
