import { principalsDigest, type Seals } from '#domain/statements/row-seals.ts'
import type { Db, Tx } from '#store/database.ts'
import type { Program } from '../core/authority.ts'

/**
 * Whether the proposer of the program's key, if it has one, is behind a request that another key of
 * the same owner may have opened, by rows whose seal holds. If not, they could decide a request on
 * which the key that they proposed acts (security.md 38).
 */
export async function hasProposerBehind(
  { db, seals }: { readonly db: Db | Tx; readonly seals: Seals },
  requestId: string,
  { proposedBy }: Program,
): Promise<boolean> {
  if (proposedBy === undefined) return true
  const request = await db
    .selectFrom('request')
    .selectAll()
    .where('id', '=', requestId)
    .executeTakeFirst()
  const principals = await db
    .selectFrom('request_principal')
    .select(['person_id as personId', 'why'])
    .where('request_id', '=', requestId)
    .execute()
  return (
    request !== undefined &&
    seals.holds('request', request) &&
    principalsDigest(principals) === request.principals_digest &&
    principals.some(({ personId }) => personId === proposedBy)
  )
}
