import { sql, type Selectable } from 'kysely'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { lockRequests, lockRun, lockRunAndRequests } from '../../core/locks.ts'
import { tampered } from '../../core/tampered.ts'
import type { RequestLocation } from '../people/find-request.ts'

/**
 * What a decision may end besides its own request: nothing, the rest of its delegation, or the rest
 * of the turn too.
 */
export type Reach = 'request' | 'delegation' | 'turn'

/**
 * Locks the run, then a request of it, with those that its decision may end too: all of them in one
 * go and by id, the one order in which everything is locked.
 */
export async function lockWithSiblings(
  tx: Tx,
  { id, runId }: RequestLocation,
  reach: Reach,
): Promise<{
  request: Selectable<RequestTable>
  /** of later calls of the turn */
  later: Selectable<RequestTable>[]
  /** of the same delegation */
  delegationRequests: Selectable<RequestTable>[]
}> {
  const alone = reach === 'request'
  if (!alone && runId !== null) await lockRun(tx, runId)
  const ids = [id, ...(alone ? [] : await siblingsWithin(tx, id, reach))]
  const rows =
    !alone || runId === null
      ? await lockRequests(tx, ids)
      : await lockRunAndRequests(tx, sql<string>`${runId}::uuid`, ids)
  const request = rows.find((row) => row.id === id)
  // Its run is another one by now, or none: nobody of ours changes that.
  if (request === undefined) throw tampered('request')
  const others = rows.filter((row) => row.id !== id)
  return {
    request,
    later: others.filter((row) => row.call_id !== request.call_id),
    delegationRequests: others.filter((row) => row.call_id === request.call_id),
  }
}

/** Which siblings those are is known once the run is locked. */
async function siblingsWithin(tx: Tx, requestId: string, reach: Reach): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select sibling.id from request
    join request as sibling on sibling.run_id = request.run_id and sibling.turn = request.turn
      and sibling.id <> request.id and (sibling.call_id = request.call_id
        or (${reach === 'turn'} and sibling.position > request.position))
    left join permit on permit.request_id = sibling.id and permit.state = 'live'
    where request.id = ${requestId} and (sibling.state = 'pending' or permit.id is not null)
  `.execute(tx)
  return rows.map((row) => row.id)
}
