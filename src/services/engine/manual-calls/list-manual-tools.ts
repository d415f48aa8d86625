import type { Tool } from '#domain/tools/tool.ts'
import type { Caller, SigningContext } from '../../core/context.ts'
import type { WorkerTool } from '../../core/host-queries.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { bySteering } from '../../runs/may-steer-run.ts'

/**
 * Lists the tools that a person may invoke on a run, with their schemas, by the policy in force.
 * Rejects with `not_found`, `forbidden` or `workspace_unreachable`: only the host of the workspace
 * can load them.
 */
export async function listManualTools(
  ctx: SigningContext,
  caller: Caller,
  runId: string,
): Promise<readonly WorkerTool[]> {
  await bySteering(ctx, caller, runId)
  const { worker } = await ctx.db
    .selectFrom('run')
    .select('worker')
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  return ctx.manualToolsOf(worker)
}

/** The answer of the workspace's Temporal worker. */
export async function manualToolsHere(ctx: WorkerContext, worker: string): Promise<WorkerTool[]> {
  return toolsHere(ctx, worker, (tool) => tool.manual)
}

/** The tools of a worker by the policy in force for which the condition holds. */
export async function toolsHere(
  ctx: WorkerContext,
  worker: string,
  isWanted: (tool: Tool) => boolean = () => true,
): Promise<WorkerTool[]> {
  const registry = await ctx.registryOf(await ctx.policies.inForce(), worker)
  return registry
    .all()
    .filter(isWanted)
    .map(({ name, description, jsonSchema }) => ({ name, description, inputSchema: jsonSchema }))
}
