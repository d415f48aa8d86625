import { realpath } from 'node:fs/promises'
import type { Policy } from '#policy/policy.ts'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { loadProject } from '#services/policy/read-project.ts'
import { openMcpServers } from '#tools/mcp/mcp-servers.ts'
import { spawnInSandbox } from '#tools/mcp/sandbox/spawn-in-sandbox.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { errorMessage } from '#domain/error-message.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { policyInWorkspace, workspacesOf } from '#policy/workspaces.ts'
import { readText } from '../../environment.ts'
import { Workspaces } from '../../project/workspaces.ts'
import type { Check, Finding } from '../target/check.ts'

/** Long enough for a server that a package manager fetches first. */
const answersWithinMs = 90_000

/** Starts or calls each MCP server of the project as a Temporal worker on this host would. */
export const checkMcpServers: Check = async ({ folders, environment }) => {
  const loaded = await loadProject(folders.projectDir)
  if ('problems' in loaded) return []
  const policy = withGatewayWorkers(loaded.policy)
  const workers = [...policy.workers.values()].filter((worker) => worker.mcpServers.size > 0)
  if (workers.length === 0) return []
  try {
    const { projectDir } = folders
    const dataDir = await realpath(folders.dataDir).catch(() => folders.dataDir)
    const sandbox = await findSandbox(readText(environment, 'COUNTERSIGN_BWRAP') ?? 'bwrap')
    const workspaces = new Workspaces({ folders, taskQueue: ownQueue(policy) })
    await using servers = openMcpServers({
      environment,
      spawnConfined: spawnInSandbox({ sandbox, dataDir, projectDir }),
      pins: { read: async () => ({ state: 'none' }) },
      workspaceOf: (version) =>
        workspaces.of(version, {
          taskQueue:
            version.config.workspaces.get(version.config.workspace ?? defaultWorkspace)
              ?.taskQueue ?? '',
          workspace: version.config.workspace ?? defaultWorkspace,
        }),
    })
    const offers = await Promise.all(
      workers.map(async (worker) => ({
        worker,
        offer: await servers.toolsOf(policyInWorkspace(policy, workspacesOf(worker)[0]), worker, {
          withinMs: answersWithinMs,
        }),
      })),
    )
    return offers.flatMap(({ worker, offer }) =>
      [...offer.problems].map(([server, problems]): Finding => {
        if (problems.length === 0) {
          const count = offer.tools.filter((tool) => tool.server?.name === server).length
          const finding = `${server} of ${worker.name} answers, with ${countWords(count, 'tool')}`
          return { check: 'mcp', state: 'ok', found: finding }
        }
        const remedy = 'see mcpServers in countersign.yaml and workers/'
        return { check: 'mcp', state: 'warning', found: problems.join(' '), remedy }
      }),
    )
  } catch (error) {
    const finding = `The MCP servers could not be checked: ${errorMessage(error)}`
    return [
      {
        check: 'mcp',
        state: 'warning',
        found: finding,
        remedy: 'see mcpServers in countersign.yaml and workers/',
      },
    ]
  }
}

function ownQueue(policy: Policy): string {
  return policy.config.workspaces.get('default')?.taskQueue ?? ''
}
