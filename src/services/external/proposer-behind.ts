import type { Selectable } from 'kysely'
import { principalsDigest, type Seals } from '#domain/statements/row-seals.ts'
import type { Db, Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { ProgramActor } from '../core/authority.ts'

/**
 * Whether the proposer of the program's key, if it has one, is behind a request that another key of
 * the same owner may have opened, by rows whose seal holds. If not, they could decide a request on
 * which the key that they proposed acts (security.md 38).
 */
export async function hasProposerBehind(
  { db, seals }: { readonly db: Db | Tx; readonly seals: Seals },
  request: Selectable<RequestTable>,
  { proposedBy }: ProgramActor,
): Promise<boolean> {
  if (proposedBy === undefined) return true
  const principals = await db
    .selectFrom('request_principal')
    .select(['person_id as personId', 'why'])
    .where('request_id', '=', request.id)
    .execute()
  return (
    seals.holds('request', request) &&
    principalsDigest(principals) === request.principals_digest &&
    principals.some(({ personId }) => personId === proposedBy)
  )
}
