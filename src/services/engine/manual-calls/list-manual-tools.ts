import type { Caller, SigningContext } from '../../core/context.ts'
import type { ManualTool } from '../../core/host-queries.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { bySteering } from '../../runs/may-steer-run.ts'

/**
 * The tools that a person may invoke on a run, with their schemas, as the policy in force has them.
 * Rejects with `not_found`, `forbidden` or `workspace_unreachable`: only the host of the workspace
 * can load them.
 */
export async function listManualTools(
  ctx: SigningContext,
  caller: Caller,
  runId: string,
): Promise<readonly ManualTool[]> {
  await bySteering(ctx, caller, runId)
  const { worker } = await ctx.db
    .selectFrom('run')
    .select('worker')
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  return ctx.manualToolsOf(worker)
}

/** The same as the Temporal worker of the workspace answers it. */
export async function manualToolsHere(ctx: WorkerContext, worker: string): Promise<ManualTool[]> {
  const registry = await ctx.registryOf(await ctx.policies.inForce(), worker)
  return registry
    .all()
    .filter((tool) => tool.manual)
    .map(({ name, description, jsonSchema }) => ({ name, description, inputSchema: jsonSchema }))
}
