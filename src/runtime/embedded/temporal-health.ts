import { answerWithin } from '#delivery/answer-within.ts'
import { TemporalConnection } from '#delivery/temporal-connection.ts'

const servingStatus = 1

/**
 * Whether the server at `address` serves that namespace. Never throws; takes at most `withinMs`.
 */
export async function isTemporalHealthy(
  address: string,
  namespace: string,
  withinMs: number,
): Promise<boolean> {
  // Closing the SDK's own connection while a retry is pending would end this process.
  const connection = TemporalConnection.open({ address })
  try {
    const check = connection.withDeadline(Date.now() + withinMs, async () => {
      const health = await connection.healthService.check({
        service: 'temporal.api.workflowservice.v1.WorkflowService',
      })
      if ((health.status as number) !== servingStatus) return false
      await connection.workflowService.listOpenWorkflowExecutions({ namespace, maximumPageSize: 1 })
      return true
    })
    return await answerWithin(withinMs, check)
  } catch {
    return false
  } finally {
    await connection.close().catch(() => undefined)
  }
}
