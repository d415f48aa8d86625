import { estimatedTokensPerByte } from '#domain/runs/window.ts'
import { contextOf } from '#policy/worker/context-of.ts'
import type { ServiceContext } from '../../core/context.ts'
import type { RunContext } from './run-record.ts'

/** How much of its model's window a run used in its last step. */
export async function contextOfRun(
  ctx: ServiceContext,
  runId: string,
  model: string,
): Promise<RunContext> {
  const last = await ctx.db
    .selectFrom('turn_attempt')
    .select(['input_tokens', 'output_tokens', 'prompt_bytes'])
    .where('run_id', '=', runId)
    .where('outcome', '=', 'stored')
    .orderBy('turn', 'desc')
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst()
  const reportedTokens = Number(last?.input_tokens ?? 0) + Number(last?.output_tokens ?? 0)
  const estimated = Math.round(Number(last?.prompt_bytes ?? 0) * estimatedTokensPerByte)
  const { config } = await ctx.policies.inForce()
  return { limit: contextOf(config, model), used: reportedTokens > 0 ? reportedTokens : estimated }
}
