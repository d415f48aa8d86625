import type { TurnOutcome } from '../../domain/workflow-outcomes.ts'
import type { WorkerContext } from '../worker-context.ts'

export async function takeTurn(
  ctx: WorkerContext,
  input: { readonly runId: string; readonly turn: number; readonly signal: AbortSignal },
): Promise<TurnOutcome> {
  throw new Error(`${ctx.executor}: turn ${input.turn} is not written yet`)
}
