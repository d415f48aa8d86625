import { proxyActivities } from '@temporalio/workflow'
import { withApproval } from '@countersign/temporal/workflow'

interface Refunds {
  refund(input: { readonly order: string; readonly cents: number }): Promise<string>
}

const { refund } = proxyActivities<Refunds>({
  startToCloseTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
})

/** A team's own workflow, whose refund waits for a different person. */
export async function refundOrder(order: string, lookEvery?: number): Promise<string> {
  const call = { tool: `refund_${order}`, input: { order, cents: 1999 } }
  return withApproval(call, refund, lookEvery === undefined ? {} : { lookEvery })
}
