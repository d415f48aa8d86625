import { isServerToolBlocked } from '#policy/judge/blocked-server-tool.ts'
import { gatewayWorkerName, withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { isReservedName } from './reserved-name.ts'
import type { ServedTool, ServedTools } from '../core/host-queries.ts'
import type { WorkerContext } from '../core/worker-context.ts'

/** The tools of a gateway server that policy does not block, on the host that connects to it. */
export async function servedToolsHere(ctx: WorkerContext, server: string): Promise<ServedTools> {
  const policy = withGatewayWorkers(await ctx.policies.inForce())
  const worker = policy.workers.get(gatewayWorkerName(server))
  if (worker === undefined || ctx.mcpServers === undefined) {
    return { tools: [], problems: [`There is no MCP server ${server} here`] }
  }
  const offer = await ctx.mcpServers.toolsOf(policy, worker)
  const tools: ServedTool[] = []
  for (const tool of offer.tools) {
    if (tool.server === undefined || isReservedName(tool.server.tool)) continue
    if (await isServerToolBlocked(policy, worker, tool)) continue
    const { title, annotations } = tool.server
    const { description, jsonSchema } = tool
    const name = tool.server.tool
    tools.push({ name, title, description, inputSchema: jsonSchema, annotations })
  }
  return { tools, problems: offer.problems.get(server) ?? [] }
}
