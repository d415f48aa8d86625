import { Problem } from '../../domain/problem.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { Viewer } from './viewer.ts'
import { requestVisibleTo } from './visible-to.ts'

/** Where a request is, before anything is locked. */
export interface FoundRequest {
  readonly id: string
  readonly runId: string | null
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const numberPattern = /^[1-9][0-9]{0,14}$/

/**
 * Finds a request by its id or its number (api.md, Requests). Rejects with `not_found` when there is none that the
 * viewer may see: what you may not see does not exist.
 */
export async function findRequest(
  db: Db | Tx,
  viewer: Viewer,
  reference: string,
): Promise<FoundRequest> {
  const byId = idPattern.test(reference)
  if (!byId && !numberPattern.test(reference)) throw missing(reference)
  const row = await db
    .selectFrom('request')
    .select(['id', 'run_id as runId'])
    .where((where) =>
      byId ? where('id', '=', reference.toLowerCase()) : where('number', '=', reference),
    )
    .where(requestVisibleTo(viewer, 'request'))
    .executeTakeFirst()
  if (row === undefined) throw missing(reference)
  return row
}

function missing(reference: string): Problem {
  return new Problem('not_found', `There is no request ${reference.slice(0, 80)} that you may see`)
}
