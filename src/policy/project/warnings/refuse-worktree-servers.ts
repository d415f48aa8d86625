import type { ProjectConfig } from '../../project-config.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { workspacesOf } from '../../workspaces.ts'

/**
 * Refuses MCP servers on standard input for workers whose runs have worktrees: such a server runs
 * for all runs of a worker, so it would work in the folder of the workspace itself.
 */
export function refuseWorktreeServers(
  report: Report,
  { workspaces }: ProjectConfig,
  workers: ReadonlyMap<string, WorkerDefinition>,
): void {
  for (const worker of workers.values()) {
    const isolated = workspacesOf(worker).find(
      (name) => workspaces.get(name)?.worktree !== undefined,
    )
    if (isolated === undefined) continue
    for (const { name, source, transport } of worker.mcpServers.values()) {
      if (transport.type !== 'stdio') continue
      const problem = `the MCP server "${name}" would not work in the worktrees of the workspace "${isolated}", but in its folder`
      const remedy = 'give its tools to a worker of another workspace'
      report.error(placeOfSource(source), problem, remedy)
    }
  }
}
