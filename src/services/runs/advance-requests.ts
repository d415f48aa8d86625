import type { Advanced } from '../../domain/workflow-outcomes.ts'
import type { ServiceContext } from '../context.ts'

export async function advanceRequests(
  ctx: ServiceContext,
  input: { readonly runId: string },
): Promise<Advanced> {
  throw new Error(`${ctx.processId}: advancing ${input.runId} is not written yet`)
}
