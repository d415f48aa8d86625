import { sql, type Selectable } from 'kysely'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Viewer } from '../people/viewer.ts'
import { requestVisibleTo } from '../people/visible-to.ts'

/**
 * Finds a request that the viewer may see, and locks the lineage of its run, root first, and then
 * the request, in one query. `null`: they may see no such request, and nothing is locked.
 */
export async function lockVisible(
  tx: Tx,
  viewer: Viewer,
  requestId: string,
): Promise<Selectable<RequestTable> | null> {
  // The count forces Postgres to lock all runs before it reads the request.
  const { rows } = await sql<Selectable<RequestTable>>`
    with visible as materialized (
      select id, run_id from request where id = ${requestId}::uuid
        and ${requestVisibleTo(viewer, 'request')}
    ), runs as materialized (
      select run.id from run join run_lineage on run_lineage.ancestor_id = run.id
      where run_lineage.run_id = (select run_id from visible)
      order by run_lineage.depth for update of run
    )
    select * from request where id = (select id from visible)
      and (run_id is null or (select count(*) from runs) > 0)
    for update
  `.execute(tx)
  return rows[0] ?? null
}
