import type { SettleOutcome } from '../../domain/workflow-outcomes.ts'
import type { ServiceContext } from '../context.ts'

export async function settleUnknown(
  ctx: ServiceContext,
  input: { readonly callId: string },
): Promise<SettleOutcome> {
  throw new Error(`${ctx.processId}: settling ${input.callId} is not written yet`)
}
