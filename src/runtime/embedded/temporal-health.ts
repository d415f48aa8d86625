import { Connection } from '@temporalio/client'

const DEADLINE_MS = 2_000
const SERVING = 1

/** Whether the server at `address` serves that namespace now. Never throws; takes at most about 4 s. */
export async function isTemporalHealthy(address: string, namespace: string): Promise<boolean> {
  const connection = Connection.lazy({ address, connectTimeout: DEADLINE_MS })
  try {
    return await connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
      const health = await connection.healthService.check({
        service: 'temporal.api.workflowservice.v1.WorkflowService',
      })
      if ((health.status as number) !== SERVING) return false
      await connection.workflowService.listOpenWorkflowExecutions({ namespace, maximumPageSize: 1 })
      return true
    })
  } catch {
    return false
  } finally {
    await connection.close().catch(() => undefined)
  }
}
