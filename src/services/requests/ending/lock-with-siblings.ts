import { sql, type Selectable } from 'kysely'
import { together } from '#store/connection/side-by-side.ts'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { lockRequests, lockRun, lockRunAndRequests } from '../../core/locks.ts'
import { tamperedProblem } from '../../core/problems/tampered.ts'
import type { RequestLocation } from '../people/find-request.ts'

/**
 * What a decision may end besides its own request: nothing, the rest of its delegation, or also the
 * rest of the turn.
 */
export type Reach = 'request' | 'delegation' | 'turn'

/**
 * Locks the run, then a request of it and those that its decision may end too, all together and by
 * id, the one order in which everything is locked.
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
  const rows = await (runId === null
    ? lockRequests(tx, [id])
    : reach === 'request'
      ? lockRunAndRequests(tx, sql<string>`${runId}::uuid`, [id])
      : lockReach(tx, { id, runId }, reach))
  const request = rows.find((row) => row.id === id)
  // Its run changed, which only SQL can do.
  if (request === undefined) throw tamperedProblem('request')
  const others = rows.filter((row) => row.id !== id)
  return {
    request,
    later: others.filter((row) => row.call_id !== request.call_id),
    delegationRequests: others.filter((row) => row.call_id === request.call_id),
  }
}

/**
 * Locks the run, and in a second query the requests that a decision may end, which are known once
 * the run is locked. Both queries are sent at once.
 */
async function lockReach(
  tx: Tx,
  { id, runId }: { readonly id: string; readonly runId: string },
  reach: Reach,
): Promise<Selectable<RequestTable>[]> {
  const requests = sql<Selectable<RequestTable>>`
    select * from request where id = any(array(
      select sibling.id from request as asked
      join request as sibling on sibling.run_id = asked.run_id and sibling.turn = asked.turn
        and sibling.id <> asked.id and (sibling.call_id = asked.call_id
          or (${reach === 'turn'} and sibling.position > asked.position))
      left join permit on permit.request_id = sibling.id and permit.state = 'live'
      where asked.id = ${id} and (sibling.state = 'pending' or permit.id is not null)
    ) || ${id}::uuid) order by id for update
  `
  const [, { rows }] = await together([lockRun(tx, runId), requests.execute(tx)])
  return rows
}
