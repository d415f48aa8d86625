import { sql } from 'kysely'
import type { Caller, ServiceContext } from '../core/context.ts'
import { byProgram } from '../core/authority.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/**
 * Records that the caller is connected and wants the call: once approved, it is carried out.
 * `byTask`: from now on even without a caller. A workflow that Temporal has lost, or that was just
 * ending, is started again, also for a call that has begun: it settles that one.
 */
export async function recordWaiting(
  unit: UnitOfWork,
  requestId: string,
  byTask: boolean,
): Promise<void> {
  const { rows } = await sql<{ task_queue: string; is_open: boolean }>`
    update gateway_call g
    set wanted_at = clock_timestamp(), by_task = g.by_task or ${byTask}
    from request r join external_request e on e.request_id = r.id
    where g.request_id = ${requestId} and r.id = g.request_id
    returning g.task_queue,
      r.state = 'approved' and e.outcome is null and g.refusal is null as is_open
  `.execute(unit.tx)
  const [row] = rows
  if (row?.is_open !== true) return
  const payload = { taskQueue: row.task_queue }
  await unit.enqueue({ kind: 'start_gateway_call', runId: requestId, payload })
}

/** The same for a waiting caller's call that has been approved meanwhile. */
export async function recordWaitingCaller(
  ctx: ServiceContext,
  caller: Caller,
  requestId: string,
): Promise<void> {
  await inUnitOfWork(ctx, byProgram(caller), (unit) => recordWaiting(unit, requestId, false))
}
