import type { CallOutcome } from '../../domain/workflow-outcomes.ts'
import type { WorkerContext } from '../worker-context.ts'

export async function executeCall(
  ctx: WorkerContext,
  input: { readonly callId: string; readonly signal: AbortSignal },
): Promise<CallOutcome> {
  throw new Error(`${ctx.executor}: call ${input.callId} is not written yet`)
}
