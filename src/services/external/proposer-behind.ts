import type { Db, Tx } from '#store/database.ts'
import type { Program } from '../core/authority.ts'

/**
 * Whether the proposer of the program's key, if it has one, is behind a request that another key of
 * the same owner may have opened. If not, they could decide a request on which the key that they
 * proposed acts (security.md 38).
 */
export async function hasProposerBehind(
  db: Db | Tx,
  requestId: string,
  { proposedBy }: Program,
): Promise<boolean> {
  if (proposedBy === undefined) return true
  const principal = await db
    .selectFrom('request_principal')
    .select('person_id')
    .where('request_id', '=', requestId)
    .where('person_id', '=', proposedBy)
    .executeTakeFirst()
  return principal !== undefined
}
