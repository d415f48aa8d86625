import { canonicalJson } from '#domain/json/digest.ts'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { policyInWorkspace, workspacesOf } from '#policy/workspaces.ts'
import { putContent } from '#store/content/content.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import type { ServerDefinitions } from '../../core/host-queries.ts'

/** Less than the time that the API waits; a slower server answers the next time. */
const listTimeoutMs = 7000

/**
 * The tool definitions of a worker's MCP servers, from the host that can reach them; stored for the
 * API to sign.
 */
export async function definitionsHere(
  ctx: WorkerContext,
  name: string,
): Promise<readonly ServerDefinitions[]> {
  const policy = withGatewayWorkers(await ctx.policies.inForce())
  const worker = policy.workers.get(name)
  if (worker === undefined || ctx.mcpServers === undefined) return []
  const { workspaces } = policy.config
  const [first] = workspacesOf(worker)
  // The question goes to the host of the default workspace, which may not have the worker's own.
  const isHere = workspaces.get(first)?.taskQueue === workspaces.get(defaultWorkspace)?.taskQueue
  const inWorkspace = policyInWorkspace(policy, isHere ? first : defaultWorkspace)
  const servers = await ctx.mcpServers.listingsOf(inWorkspace, worker, listTimeoutMs)
  return Promise.all(
    servers.map(async ({ server, listing, problem }) => ({
      server,
      definitionsHash:
        listing === null ? null : await putContent(ctx.db, canonicalJson(listing.tools)),
      problem,
    })),
  )
}
