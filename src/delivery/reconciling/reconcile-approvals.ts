import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import type { DeliveryContext } from '../outbox/deliver-rows.ts'
import { approvalWorkflowId, startApproval } from '../outbox/start-for-request.ts'
import { workflowIds } from './workflows.ts'

/** Young requests are skipped: their start may be in progress. */
const settleAfterSeconds = 10
const requestsAtOnce = 500

/**
 * Restarts the workflow of every pending request of a program that has none, as after Temporal was
 * emptied or restored. Returns their ids. One process at a time; call it under the reconciler's
 * lock.
 */
export async function reconcileApprovals(delivering: DeliveryContext): Promise<readonly string[]> {
  const startedAgain: string[] = []
  let running: ReadonlySet<string> | null = null
  for (let after: string | null = null; ;) {
    const ids = await findWaiting(delivering.db, after)
    // Without a program's request, Temporal is not asked.
    if (ids.length > 0) running ??= await runningApprovals(delivering)
    for (const id of ids) {
      if (running?.has(approvalWorkflowId(id)) === true) continue
      if ((await startApproval(delivering, id)) === 'started') startedAgain.push(id)
    }
    after = ids.at(-1) ?? null
    if (ids.length < requestsAtOnce) return startedAgain
  }
}

async function findWaiting(db: Db, after: string | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from request
    where state = 'pending' and kind = 'external'
      and (${after}::uuid is null or id > ${after}::uuid)
      and created_at < clock_timestamp() - ${settleAfterSeconds} * interval '1 second'
    order by id limit ${requestsAtOnce}
  `.execute(db)
  return rows.map((row) => row.id)
}

function runningApprovals({ temporal }: DeliveryContext): Promise<Set<string>> {
  return workflowIds(temporal, "WorkflowType = 'approvalRequest' AND ExecutionStatus = 'Running'")
}
