import type { UnitOfWork } from '../../core/unit-of-work.ts'

/** Starts an approved gateway call that is a task, without its caller. */
export async function startGatewayTask(unit: UnitOfWork, requestId: string): Promise<void> {
  const task = await unit.tx
    .selectFrom('gateway_call')
    .select('task_queue')
    .where('request_id', '=', requestId)
    .where('by_task', '=', true)
    .executeTakeFirst()
  if (task !== undefined) await enqueueGatewayTask(unit, requestId, task.task_queue)
}

/** The same for a task whose queue was read. */
export async function enqueueGatewayTask(
  unit: UnitOfWork,
  requestId: string,
  taskQueue: string,
): Promise<void> {
  const payload = { taskQueue }
  await unit.enqueue({ kind: 'start_gateway_call', runId: requestId, payload })
}
