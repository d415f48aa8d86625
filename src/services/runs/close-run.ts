import type { CloseOutcome } from '../../domain/workflow-outcomes.ts'
import type { ServiceContext } from '../context.ts'

export async function closeRun(
  ctx: ServiceContext,
  input: { readonly runId: string },
): Promise<CloseOutcome> {
  throw new Error(`${ctx.processId}: closing ${input.runId} is not written yet`)
}
